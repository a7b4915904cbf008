import type { FetchOption } from '@homeward/kit/http'

/** Which address `spacesFile.publicUrl` holds. */
export type S3Links =
  | {
      /** Signed for a while; made anew each time that it is shown. Whoever has it may read the file until then. */
      readonly kind: 'presigned'
      /** 1 to 604,800. @default 3600 */
      readonly expiresInSeconds?: number
    }
  | {
      /** Readable by everybody who knows it: where the bucket, or a CDN in front of it, serves its objects publicly. */
      readonly kind: 'public'
      /** What the key is appended to: `https://cdn.example/bucket`. */
      readonly baseUrl: string
      /** Sent as `x-amz-acl` with each file, where the bucket wants that. @default not sent */
      readonly acl?: 'public-read'
    }

/** Settings of `createS3Blobs`. */
export interface S3BlobsOptions {
  /** Address of the bucket: `https://fra1.digitaloceanspaces.com/my-bucket` or `https://my-bucket.s3.amazonaws.com`. */
  readonly endpoint: string
  /** @default "auto" */
  readonly region?: string
  /** Needs to read, write, delete and list objects, and to abort multipart uploads. */
  readonly accessKeyId: string
  /** Signs requests and links; it never leaves the process. */
  readonly secretAccessKey: string
  /** What keys of objects start with. A prefix belongs to one cloud. @default "homeward/" */
  readonly keyPrefix?: string
  /** @default presigned for an hour */
  readonly links?: S3Links
  /** Size of the parts of a large file, each held in memory once: 5 MiB at least. @default 8388608 (8 MiB) */
  readonly partBytes?: number
  /** Milliseconds without an answer, or without any more of one, until a request is given up. @default 120000 */
  readonly timeoutMs?: number
  /** How often a request that failed for the moment is sent, the first time included. @default 4 */
  readonly attempts?: number
  /** Milliseconds before the first repeat; doubled for each further one. @default 500 */
  readonly retryDelayMs?: number
  /**
   * What requests are sent with: a `fetch`, or an instance of ofetch, whose interceptors then run for each request.
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number
}
