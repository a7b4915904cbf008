import type { Run } from '../loop/run.ts'
import type { Stage } from '../loop/stage.ts'
import type { RunStartOptions } from '../runs.ts'

/** Makes the first model call of a run choose a tool. */
export const toolChoiceStage = (run: Run, choice: NonNullable<RunStartOptions['toolChoice']>): Stage => ({
  name: 'tool-choice',
  prompt(options) {
    if (run.progress.turns > 0 || !options.tools?.length) return options
    const toolChoice =
      choice === 'required'
        ? ({ type: 'required' } as const)
        : ({ type: 'tool', toolName: run.tools.wireName(choice.tool) } as const)
    return { ...options, toolChoice }
  },
})
