/** Most folders that are announced. */
const maxFolders = 50
/** Longest path that is announced, in characters. */
const maxLength = 200
/** All of them together as JSON, in bytes of UTF-8: half of what a cloud stores of a device's metadata. */
const maxBytes = 4096

/**
 * Returns the folders that a device agent shares, for `metadata.folders`: at most 50 and 4 KiB. Of a path longer than
 * 200 characters, only the end is shown, after `…`.
 *
 * @example
 * const metadata = () => ({ ...readDeviceMetadata(), folders: toAnnouncedFolders(roots) })
 */
export function toAnnouncedFolders(roots: readonly string[]): string[] {
  const folders: string[] = []
  for (const root of roots.slice(0, maxFolders)) {
    const characters = Array.from(root.toWellFormed())
    const isLong = characters.length > maxLength
    folders.push(isLong ? `…${characters.slice(1 - maxLength).join('')}` : characters.join(''))
    if (Buffer.byteLength(JSON.stringify(folders)) <= maxBytes) continue
    folders.pop()
    break
  }
  return folders
}
