import type { RunProgress } from '../../store/ports/run-store.ts'
import type { AgentRunState } from '../active-run.ts'

/** How far a run has come, as it is stored. */
export function progressOf(run: AgentRunState, activeMs: number): RunProgress {
  const { turns, toolCalls, usage, cost, tainted, warnings, asked, checkedInput } = run
  const progress = { turns, toolCalls, usage: { ...usage }, activeMs, tainted }
  return {
    ...progress,
    ...(cost && { cost }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(asked.length > 0 && { asked }),
    ...(checkedInput && { input: checkedInput }),
  }
}
