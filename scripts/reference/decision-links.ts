import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { workspaceFolder } from '../workspace-packages.ts'

/** `C9` → the title of the decision as a link. */
const links = new Map(
  globSync('docs/decisions/*.md', { cwd: workspaceFolder }).flatMap((file) => {
    const headings = readFileSync(join(workspaceFolder, file), 'utf8').matchAll(/^## (([ACD]\d+): (.+))$/gm)
    return [...headings].map(([, heading = '', id = '', title = '']) => {
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-')
      return [id, `[${title}](../decisions/${basename(file)}#${anchor})`] as const
    })
  }),
)

/**
 * Names the decisions and public standards that an operation follows, for a reader of the reference: `Agent API; A3` becomes
 * a link to the record about agents. Empty if its source has neither.
 *
 * @throws if a decision has no record
 */
export function decisionLinks(source: string): string {
  const names = source.split(/[;,] (?=[ACD]\d)/).flatMap((part) => {
    if (!/^[ACD]\d+$/.test(part)) return /^(?:OpenAI|Prometheus|Model Context)/.test(part) ? [part] : []
    const link = links.get(part)
    if (!link) throw new Error(`Linking the decision ${part} failed: docs/decisions has no such record.`)
    return [link]
  })
  return names.join(', ')
}
