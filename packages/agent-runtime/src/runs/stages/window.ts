import type { Run } from '../loop/run.ts'
import type { Stage } from '../loop/stage.ts'
import { createPromptFitter, type PromptFitter } from '../window/prompt-fitter.ts'

const fitters = new WeakMap<Run, PromptFitter>()

/** Fits what a run asks to the context windows of its models. */
export function windowStage(run: Run): Stage {
  const fitter = createPromptFitter(run.context, {
    agent: run.agent,
    taskAt: () => run.taskAt,
    workspace: () => run.workspace(),
  })
  fitters.set(run, fitter)
  return { name: 'window', fit: (options, { chain }) => fitter.fit(chain.current.name, options) }
}

/** The fitter of a run. A run whose windows were not known gets one, because a model has rejected a call as too long. */
export function fitterOf(run: Run): PromptFitter {
  if (!fitters.has(run)) run.use(windowStage(run), 'first')
  const fitter = fitters.get(run)
  if (!fitter) throw new Error('The run has no fitter') // windowStage has set it
  return fitter
}
