const maxLength = 200

/**
 * Returns the last part of a path as a safe file name.
 *
 * The result is never empty. It has no folder separators, no control characters, no characters with a meaning in file
 * systems or headers, and no characters that change the writing direction, which can hide the real extension.
 */
export function toPlainFileName(path: string): string {
  const last =
    path
      .toWellFormed()
      .split(/[/\\]/)
      .findLast((part) => part.trim() !== '') ?? ''
  const plain = last
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069<>:"|?*]/gu, '_')
    .trim()
    .slice(-maxLength)
    .toWellFormed()
  return /^\.*$/.test(plain) ? 'file' : plain
}

/** Returns a `Content-Disposition` header that makes a browser save a file under its name (RFC 6266, RFC 8187). */
export function attachmentHeader(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
