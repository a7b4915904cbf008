const maxNameLength = 300
const maxDepth = 20
/** What most file systems take for a name. */
const maxSegmentBytes = 255
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const illegal = /[\u0000-\u001f<>:"|?*\u007f]/
/** Names that Windows gives to devices, whatever their extension; spaces in front of it do not count. */
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i

/**
 * Why a name from an archive must not be written, or undefined when it may. Names that only some systems would take
 * for a way out are refused on all: a skill is moved between machines.
 */
export function refusedEntryName(name: string): string | undefined {
  if (name === '' || name.length > maxNameLength) return `its name must have 1 to ${maxNameLength} characters`
  if (name.includes('\\')) return 'its name contains a backslash. Use "/" between folders'
  if (name.startsWith('/')) return 'its name is absolute'
  if (/^[A-Za-z]:/.test(name)) return 'its name starts with a drive letter'
  if (illegal.test(name)) return 'its name contains a character that file systems do not allow'
  const segments = name.replace(/\/$/, '').split('/')
  if (segments.length > maxDepth) return `it is nested deeper than ${maxDepth} folders`
  for (const segment of segments) {
    if (segment === '..') return 'its name leads out of the folder with ".."'
    if (segment === '' || segment === '.') return 'its name has an empty or "." segment'
    if (/[. ]$/.test(segment)) return 'a segment of its name ends in a dot or a space'
    if (windowsDevice.test(segment)) return 'a segment of its name is a device name on Windows'
    if (Buffer.byteLength(segment) > maxSegmentBytes)
      return `a segment of its name is longer than ${maxSegmentBytes} bytes`
  }
  return undefined
}

/**
 * The same for two names that some file system would take for one. Both cases, since neither alone folds everything: `ς`
 * and `σ` have one capital letter, `ẞ` has the small letter of `ß`.
 */
export function collisionKey(name: string): string {
  return name.replace(/\/$/, '').normalize('NFKC').toLowerCase().toUpperCase()
}
