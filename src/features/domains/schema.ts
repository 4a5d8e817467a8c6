import { z } from "zod";

const domainExample = {
  id: "0199a0f2-4a11-7c20-a1b2-c3d4e5f60718",
  domain: "acme.example",
  status: "VERIFIED" as const,
  verified: true,
  records: [
    {
      purpose: "OWNERSHIP" as const,
      type: "TXT" as const,
      name: "_petrel.acme.example",
      value: "petrel-verification=0b1c2d3e4f5a69788796a5b4c3d2e1f0",
      required: false,
      status: "PENDING" as const,
    },
  ],
  lastCheckedAt: null,
  verifiedAt: "2026-01-31T09:00:00.000Z",
  projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

const DnsRecord = z
  .object({
    purpose: z.enum(["OWNERSHIP", "DKIM", "SPF", "RETURN_PATH", "DMARC"]),
    type: z.enum(["TXT", "CNAME", "MX"]),
    name: z.string(),
    value: z.string(),
    priority: z.number().int().optional(),
    required: z.boolean(),
    status: z.enum(["PENDING", "FOUND", "MISMATCH"]),
    found: z.array(z.string()).optional(),
  })
  .meta({ id: "DnsRecord" });

export const Domain = z
  .object({
    id: z.string(),
    domain: z.string(),
    status: z.enum(["PENDING", "VERIFIED", "FAILED"]),
    verified: z.boolean(),
    records: z.array(DnsRecord),
    lastCheckedAt: z.iso.datetime().nullable(),
    verifiedAt: z.iso.datetime().nullable(),
    projectId: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Domain", example: domainExample });

export const Domains = z.array(Domain).meta({ id: "Domains", example: [domainExample] });

export const AddDomain = z
  .object({
    domain: z.string(),
    projectId: z.string().nullish().meta({ description: "The id of the key's own project. Any other id is a 404." }),
  })
  .meta({ id: "AddDomain", example: { domain: "acme.example" } });
export type AddDomain = z.infer<typeof AddDomain>;
