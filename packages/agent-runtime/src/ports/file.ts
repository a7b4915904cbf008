/** A file that a message refers to. Its bytes are in the store, never in a message. */
export interface FileReference {
  readonly id: string
  /** Name without a path. */
  readonly name: string
  /** Such as `image/png`. */
  readonly media_type: string
  /** Size in bytes. */
  readonly bytes: number
  /** SHA-256 of the bytes, 64 hexadecimal digits. */
  readonly sha256: string
}
