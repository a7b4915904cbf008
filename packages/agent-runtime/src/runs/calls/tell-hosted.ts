import type { RunEvent } from '@homeward/contract/agent-platform'
import { toReadableResult } from '../../json/readable-result.ts'
import { cut, isSmallJson } from '../../json/to-json.ts'
import { taint, type ActiveRun } from '../active-run.ts'
import type { RunsContext } from '../runs-options.ts'
import type { HostedPart } from '../turns/hosted-part.ts'
import { journalArgs } from './emit-call-events.ts'

/** Characters of a result that is shown. */
const maxShownChars = 20_000

/** Tells of a call that the provider made with its own tool, and of its result. What such a tool found is a stranger's (A20). */
export function tellHosted(
  context: RunsContext,
  run: ActiveRun,
  part: HostedPart,
  announce: (event: RunEvent) => void,
): void {
  const { id, name } = part
  const known = { agent_id: run.run.agentId, tool: cut(name, 200), call_id: id }
  if (part.type === 'hosted_call') {
    const args = run.redact.json(part.args)
    announce({ event: 'tool_start', data: { id, name, args } })
    run.writer.note('tool.called', { ...known, args: journalArgs(args) })
    return
  }
  taint(run)
  const shown = run.redact.json(toReadableResult(part.result))
  const text = JSON.stringify(shown)
  const result = isSmallJson(shown, maxShownChars) ? shown : `${cut(text, maxShownChars)}…`
  const ok = !part.failed
  const error = cut(text, 500)
  announce({ event: 'tool_call', data: ok ? { id, name, result } : { id, name, error } })
  const durationMs = Math.max(0, context.now() - run.turnStartedAtMs)
  run.writer.note('tool.completed', { ...known, ok, duration_ms: durationMs, ...(!ok && { error }) })
}
