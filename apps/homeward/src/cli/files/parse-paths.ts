import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Splits paths as a shell writes them, or as a terminal does when a file is dropped on it: separated by spaces, with
 * quotes, with spaces behind a backslash, or as `file://` addresses. On Windows a backslash separates folders.
 */
export function parsePaths(text: string, isWindows = process.platform === 'win32'): readonly string[] {
  const paths: string[] = []
  let path = ''
  let quote = ''
  let hasPath = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && !isWindows && index + 1 < text.length) {
        index += 1
        path += text[index]!
      } else path += character
    } else if (character === '"' || character === "'") {
      quote = character
      hasPath = true
    } else if (character === '\\' && !isWindows && index + 1 < text.length) {
      index += 1
      path += text[index]!
      hasPath = true
    } else if (/\s/.test(character)) {
      if (hasPath || path !== '') paths.push(path)
      path = ''
      hasPath = false
    } else path += character
  }
  if (hasPath || path !== '') paths.push(path)
  return paths.filter((each) => each !== '')
}

/** A path as the file system takes it: `~` and `file://` are resolved. */
export function toAbsolutePath(path: string, folder = process.cwd()): string {
  if (path.startsWith('file://') && URL.canParse(path)) {
    try {
      return fileURLToPath(path)
    } catch {
      return resolve(folder, path) // of another machine
    }
  }
  if (path === '~' || path.startsWith('~/')) return resolve(homedir(), path.slice(2))
  return resolve(folder, path)
}
