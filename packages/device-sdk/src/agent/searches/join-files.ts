import type { FoundFile } from '@homeward/contract/device-cloud'

/**
 * Puts the files that the scope `content` found into the list of `files`. They come first, because a report may be cut, and
 * a file that both scopes found stands there once, with its matches.
 */
export function joinFiles(found: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const joined = new Map(found)
  if (!joined.delete('content')) return found
  // Both lists were parsed as they were found.
  const content = found.get('content') as readonly FoundFile[]
  const named = (found.get('files') ?? []) as readonly FoundFile[]
  const paths = new Set(content.map(({ path }) => path))
  return joined.set('files', [...content, ...named.filter(({ path }) => !paths.has(path))])
}
