import type { Output } from '../../output.ts'
import { describeStep } from './run-steps.ts'
import type { ServiceStep } from './service-step.ts'

/** Prints what would be done: each step, and below it what would be written. */
export function showSteps(steps: readonly ServiceStep[], output: Output): void {
  output.result({ steps }, () => steps.map(toText).join('\n'))
}

function toText(step: ServiceStep): string {
  if (step.do !== 'write') return describeStep(step)
  const lines = step.content.trimEnd().split(/\r?\n/)
  return [describeStep(step), ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}
