const maxLength = 200

/**
 * The last part of a path as a plain file name: no folders of either kind of separator, no control characters,
 * nothing that a file system or a header takes for something else, nor what turns the direction of writing: it shows
 * another ending than the name has. Never empty.
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

/** `Content-Disposition` that makes a browser save a file under its name (RFC 6266, RFC 8187). */
export function attachmentHeader(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
