declare module "*/scripts/lib/bundle.mjs" {
  export interface Bundle {
    file: string;
    bytes: number;
    gzipBytes: number;
    /** The bytes that each file takes up, by its path. */
    inputs: Record<string, number>;
  }

  export function buildBundle(folder: string): Promise<Bundle>;
}
