import { isTextType } from './media-type.ts'

/** Tokens of a picture, which providers scale down to about one size. */
const pictureTokens = 1500
/** A model reads a document page by page, as text and picture: hardly ever fewer tokens, and never more pages than fit. */
const documentTokens = { least: 3000, most: 300_000, bytesPerToken: 30 }
/** About 32 tokens per second; compressed sound has about 16,000 bytes per second. */
const soundBytesPerToken = 500
/** Sound that is not compressed has at least 32,000 bytes per second. */
const waveBytesPerToken = 1000
/** About 300 tokens per second, at one megabit. */
const videoBytesPerToken = 400
/** As an estimate of text counts: see `estimateTokens`. */
const textBytesPerToken = 3

/**
 * Tokens that a file is likely to take in a prompt, by its medium: the characters of its base64 say nothing about that.
 *
 * @example
 * fileTokens({ media_type: 'image/png', bytes: 2_000_000 }) // 1500
 */
export function fileTokens({
  media_type: type,
  bytes,
}: {
  readonly media_type: string
  readonly bytes: number
}): number {
  if (isTextType(type)) return Math.ceil(bytes / textBytesPerToken)
  if (type.startsWith('image/')) return pictureTokens
  if (type === 'audio/wav') return Math.ceil(bytes / waveBytesPerToken)
  if (type.startsWith('audio/')) return Math.ceil(bytes / soundBytesPerToken)
  if (type.startsWith('video/')) return Math.ceil(bytes / videoBytesPerToken)
  const { least, most, bytesPerToken } = documentTokens
  return Math.min(most, Math.max(least, Math.ceil(bytes / bytesPerToken)))
}
