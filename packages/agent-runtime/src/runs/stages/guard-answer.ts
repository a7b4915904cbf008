import type { Json, RunEvent } from '@homeward/contract/agent-platform'
import { toFileReference } from '../../files/to-files.ts'
import type { GuardedOutput, MaybeArray, OutputGuard } from '../../ports/guard.ts'
import { copyJson, toBoundedJson } from '../../json/to-json.ts'
import type { AssistantPart, SourcePart } from '../../ports/message.ts'
import { guardFailed, guardRefused } from '../../ports/guard-errors.ts'
import { turnText, type ModelTurn } from '../loop/answer.ts'
import type { Run } from '../loop/run.ts'
import type { Tell } from '../loop/stage.ts'
import { askGuards, copyFiles, GuardFault } from './ask-guards.ts'
import { checkAnswer } from './output-schema.ts'

/** What a guard may put in the place of an answer. */
interface Replacement {
  readonly text?: string | undefined
  readonly data?: Json | undefined
}

/**
 * Checks what the model answered in one turn, before it is stored, and then shows it. Calls are left as they are.
 *
 * @throws {RuntimeError} `guard_refused`, `guard_failed`; the signal's reason. Nothing of the answer is shown then.
 */
export async function guardAnswer(
  run: Run,
  turn: Pick<ModelTurn, 'parts'>,
  guards: MaybeArray<OutputGuard>,
  held: HeldAnswer | undefined,
): Promise<readonly AssistantPart[]> {
  const value = await toValue(run, turn)
  if (isEmpty(value)) {
    held?.release()
    return turn.parts
  }
  const outcome = await askGuards(run, {
    guards,
    subject: 'output',
    // two answers of one turn, the second of them a correction, are two values
    key: `output:${run.writer.messages.length}`,
    value,
    copy: copyOutput,
    apply: (before, replacement: Replacement) => replace(run, before, replacement),
  })
  if (outcome.kind !== 'passed') {
    run.answered('') // the text of the turns before is not the answer of a run whose answer was refused
    const toError = outcome.kind === 'refused' ? guardRefused : guardFailed
    throw toError('output', outcome.reason)
  }
  const { text } = outcome.value
  held?.release(outcome.isReplaced ? text : undefined)
  return outcome.isReplaced ? withText(turn.parts, text, value.isFinal) : turn.parts
}

async function toValue(run: Run, turn: Pick<ModelTurn, 'parts'>): Promise<GuardedOutput> {
  const { parts } = turn
  const text = turnText(turn)
  const isFinal = !parts.some(({ type }) => type === 'tool_call')
  const { outputSchema } = run.row
  const checked = outputSchema && isFinal ? await checkAnswer(run, outputSchema, text) : undefined
  return {
    text,
    isFinal,
    sources: parts.filter((part) => part.type === 'source').map(toSource),
    files: parts.filter((part) => part.type === 'file').map(toFileReference),
    ...(checked && 'data' in checked && { data: checked.data }),
  }
}

const toSource = ({ url, title }: SourcePart) => ({ url, ...(title !== undefined && { title }) })

const isEmpty = ({ text, files, sources }: GuardedOutput) =>
  text.trim() === '' && files.length === 0 && sources.length === 0

const copyOutput = (value: GuardedOutput): GuardedOutput => ({
  ...value,
  sources: value.sources.map((source) => ({ ...source })),
  files: copyFiles(value.files),
  ...(value.data !== undefined && { data: copyJson(value.data) }),
})

/** As long as an answer may be. */
const maxChars = 2_000_000

/** Of text and data one follows from the other, so that they cannot differ. */
async function replace(
  run: Run,
  value: GuardedOutput,
  given: Replacement | null | undefined,
): Promise<GuardedOutput> {
  const { text: ownText, data: ownData } = given ?? {}
  if ((ownText === undefined) === (ownData === undefined)) {
    throw new GuardFault('its replacement must have either "text" or "data"')
  }
  const text = ownData === undefined ? ownText : JSON.stringify(toBoundedJson(ownData, Infinity))
  if (typeof text !== 'string' || text.length > maxChars) {
    throw new GuardFault(`the text of its replacement must be a string of at most ${maxChars} characters`)
  }
  const { outputSchema } = run.row
  if (ownData !== undefined && !outputSchema) {
    throw new GuardFault('it replaced the data of a run without an output schema. Replace the text')
  }
  if (!outputSchema || value.data === undefined) return { ...value, text: text.toWellFormed() }
  const checked = await checkAnswer(run, outputSchema, text)
  if ('data' in checked) return { ...value, text: text.toWellFormed(), data: checked.data }
  throw new GuardFault(`its replacement does not match the output schema: ${checked.problem}`)
}

/**
 * The parts of an answer with another text. Reasoning stays only where the provider wants it back, before calls: it may say
 * what the guard has taken out of the text.
 */
function withText(parts: readonly AssistantPart[], text: string, isFinal: boolean): AssistantPart[] {
  const first = parts.findIndex(({ type }) => type === 'text')
  const left = parts.flatMap((part, index): AssistantPart[] => {
    if (part.type === 'text') return index === first ? [{ type: 'text', text }] : []
    return part.type === 'reasoning' && isFinal ? [] : [part]
  })
  return first === -1 ? [{ type: 'text', text }, ...left] : left
}

/** Events of an answer that nobody sees before its guards were asked. */
export interface HeldAnswer {
  add(event: RunEvent): void
  /** Shows them. @param text in place of the model's @default the model's */
  release(text?: string): void
}

/** Holds events back from a stream. One that is never released is forgotten with the answer. */
export function createHeldAnswer(push: Tell): HeldAnswer {
  const events: RunEvent[] = []
  return {
    add: (event) => void events.push(event),
    release(text) {
      let left = text
      for (const event of events.splice(0)) {
        if (text === undefined || event.event !== 'assistant') push(event)
        else if (left) {
          push({ event: 'assistant', data: { delta: left } })
          left = ''
        }
      }
      // an answer of files alone may have been replaced by a text
      if (left) push({ event: 'assistant', data: { delta: left } })
    },
  }
}
