import type { FetchOption } from '@homeward/kit/http'

/** Kind of the address in `spacesFile.publicUrl`. */
export type S3Links =
  | {
      /**
       * A signed link, created each time that the file is shown. Anyone with the link can read the file until it
       * expires.
       */
      readonly kind: 'presigned'
      /** Lifetime of the link in seconds, 1 to 604,800. @default 3600 */
      readonly expiresInSeconds?: number
    }
  | {
      /** A permanent public link, for a bucket or CDN that serves its objects publicly. */
      readonly kind: 'public'
      /** Base address for the object key, such as `https://cdn.example/bucket`. */
      readonly baseUrl: string
      /** Value of the header `x-amz-acl` for each file, if the bucket needs it. @default not sent */
      readonly acl?: 'public-read'
    }

/** Options of `createS3Blobs`. */
export interface S3BlobsOptions {
  /**
   * Address of the bucket, such as `https://fra1.digitaloceanspaces.com/my-bucket` or
   * `https://my-bucket.s3.amazonaws.com`.
   */
  readonly endpoint: string
  /** Region of the bucket. @default "auto" */
  readonly region?: string
  /** Access key. It must be allowed to read, write, delete and list objects, and to abort multipart uploads. */
  readonly accessKeyId: string
  /** Secret key that signs requests and links. It never leaves the process. */
  readonly secretAccessKey: string
  /** Prefix of object keys. A prefix must belong to one cloud only. @default "homeward/" */
  readonly keyPrefix?: string
  /** Kind of the links to files. @default presigned for an hour */
  readonly links?: S3Links
  /**
   * Size of the parts of a large file in bytes, at least 5 MiB. One part is held in memory.
   *
   * @default 8388608 (8 MiB)
   */
  readonly partBytes?: number
  /** Time without any response data until a request is aborted, in milliseconds. @default 120000 */
  readonly timeoutMs?: number
  /** Maximum number of attempts for a request that fails temporarily, including the first. @default 4 */
  readonly attempts?: number
  /** Delay before the first retry in milliseconds, doubled for each further retry. @default 500 */
  readonly retryDelayMs?: number
  /**
   * A `fetch` function, or an ofetch instance whose interceptors then run for each request.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** Returns a random number from 0 to 1. @default Math.random */
  readonly random?: () => number
}
