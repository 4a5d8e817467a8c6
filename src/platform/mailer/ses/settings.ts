import { isTopicArn } from "../../../core/mail/sns";
import { optionalOrigin, optionalText } from "../../settings";
import { defineSettings } from "../provider";

export interface SesSettings {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  configurationSet: string | null;
  /** The ARN of the SNS topic whose messages contain reports; null when reports are not set up. */
  topicArn: string | null;
}

export const sesSettings = defineSettings({
  settings: {
    SES_REGION: optionalText,
    SES_ACCESS_KEY_ID: optionalText,
    SES_SECRET_ACCESS_KEY: optionalText,
    SES_CONFIGURATION_SET: optionalText,
    SES_TOPIC_ARN: optionalText.refine((arn) => arn === null || isTopicArn(arn), "Must be the ARN of an SNS topic"),
    SES_ENDPOINT: optionalOrigin,
  },
  needs: ["SES_REGION", "SES_ACCESS_KEY_ID", "SES_SECRET_ACCESS_KEY"],
  read(values): SesSettings | null {
    const { SES_REGION: region, SES_ACCESS_KEY_ID: accessKeyId, SES_SECRET_ACCESS_KEY: secretAccessKey } = values;
    if (!region || !accessKeyId || !secretAccessKey) return null;
    return {
      ...{ region, accessKeyId, secretAccessKey },
      configurationSet: values.SES_CONFIGURATION_SET,
      topicArn: values.SES_TOPIC_ARN,
      endpoint: values.SES_ENDPOINT ?? `https://email.${region}.amazonaws.com`,
    };
  },
});
