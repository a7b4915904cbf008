import type { RunEvent } from '@homeward/contract/agent-platform'
import type { SourcePart } from '../../ports/message.ts'
import { taint, type ActiveRun } from '../active-run.ts'

/** Most sources of a run. */
const maxSources = 100

/**
 * Announces a source: once for each address, and taints the run.
 *
 * @returns whether it was announced
 */
export function noteSource(
  run: ActiveRun,
  { url, title }: SourcePart,
  announce: (event: RunEvent) => void,
): boolean {
  taint(run)
  const isSecret = run.redact.text(url) !== url
  if (isSecret || run.sources.has(url) || run.sources.size >= maxSources) return false
  run.sources.add(url)
  announce({
    event: 'source',
    data: { url, ...(title !== undefined && { title: run.redact.text(title) }) },
  })
  return true
}
