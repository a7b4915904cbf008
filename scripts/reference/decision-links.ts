import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { workspaceFolder } from '../workspace-packages.ts'

/** `C9` → the record's title as a link. */
const links = new Map(
  globSync('docs/decisions/[acd]*.md', { cwd: workspaceFolder }).map((file) => {
    const [, id = '', title = ''] =
      /^# (\w+): (.+)/.exec(readFileSync(join(workspaceFolder, file), 'utf8')) ?? []
    return [id, `[${title}](../decisions/${basename(file)})`]
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
