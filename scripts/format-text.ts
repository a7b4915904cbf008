import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, type FormatConfig } from 'oxfmt'
import { workspaceFolder } from './workspace-packages.ts'

/**
 * Lays out a file's text as `npm run format` would.
 *
 * @param path - The file's path from the workspace's top folder; its ending tells the language.
 * @throws {Error} when the text cannot be read as that language.
 */
export async function formatText(path: string, text: string): Promise<string> {
  const { ignorePatterns: _, ...options } = JSON.parse(
    readFileSync(join(workspaceFolder, '.oxfmtrc.json'), 'utf8'),
  ) as FormatConfig & { ignorePatterns?: string[] }
  const { code, errors } = await format(path, text, options)
  if (errors.length > 0) throw new Error(`Could not format ${path}: ${errors[0]?.message}`)
  return code
}
