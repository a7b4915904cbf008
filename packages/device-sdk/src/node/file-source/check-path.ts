import path from 'node:path'

/**
 * Says why a path's form rules it out, before anything on the disk is touched; `undefined` when it does not.
 *
 * Absolute local paths only: no `..`, no NUL, no `file:` URL, on Windows no network share, device path,
 * drive-relative path or alternate data stream.
 */
export function checkPath(
  filePath: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (filePath === '') return 'the path is empty'
  if (filePath.includes('\0')) return 'the path contains a NUL character'
  if (/^[a-z][a-z0-9+.-]+:/i.test(filePath)) return 'the path is a URL'
  if (filePath.split(platform === 'win32' ? /[\\/]/ : '/').includes('..')) return 'the path contains ".."'
  return platform === 'win32' ? checkWindowsPath(filePath) : checkPosixPath(filePath)
}

function checkPosixPath(filePath: string): string | undefined {
  return path.posix.isAbsolute(filePath) ? undefined : 'the path is not absolute'
}

function checkWindowsPath(filePath: string): string | undefined {
  if (/^[\\/]{2}/.test(filePath)) return 'the path names a network share or a device'
  if (!/^[a-z]:[\\/]/i.test(filePath)) return 'the path is not absolute'
  if (filePath.indexOf(':', 2) !== -1) return 'the path names an alternate data stream'
  return undefined
}
