import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { createScriptedModel, type ScriptedStep } from '../scripted-model.ts'
import type { CrashScenario } from './scenario.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** At the end of the name of a way out of the process where it only reads on. */
export const pieceMark = ' piece'

/**
 * A model whose answer depends on the messages alone: a process that begins again where another one was killed gets the
 * same answers. Each call and each piece of an answer is a way out of the process.
 */
export function createScriptModel(
  life: SimulatedProcess,
  modelId: string,
  steps: readonly ScriptedStep[],
  {
    windowTokens = Infinity,
    mustRead,
    tools = [],
  }: Pick<Partial<CrashScenario>, 'windowTokens' | 'mustRead' | 'tools'>,
): LanguageModelV4 {
  function stepFor({ prompt }: LanguageModelV4CallOptions) {
    const tokens = Math.ceil(JSON.stringify(prompt).length / 4)
    if (tokens > windowTokens)
      throw new Error(`prompt is too long: ${tokens} tokens > ${windowTokens} maximum`)
    if (mustRead && !hasFile(prompt, mustRead)) throw new Error('the prompt is without its file')
    for (const { id, picture } of tools)
      if (picture && !hasPicture(prompt, id, picture))
        throw new Error(`a result of ${id} is without its picture`)
    const answers = prompt.filter(({ role }) => role === 'assistant').length
    const step = steps[answers]
    if (!step) throw new Error(`The model ${modelId} has no answer number ${answers + 1}`)
    return createScriptedModel([step])
  }
  return {
    specificationVersion: 'v4',
    provider: 'crash',
    modelId,
    supportedUrls: {},
    doGenerate: (call) => life.cross(`model.${modelId}`, async () => stepFor(call).doGenerate(call)),
    async doStream(call) {
      const answer = await life.cross(`model.${modelId}`, async () => stepFor(call).doStream(call))
      return { ...answer, stream: piecewise(life, answer.stream, `model.${modelId}${pieceMark}`) }
    },
  }
}

const hasFile = (prompt: LanguageModelV4CallOptions['prompt'], bytes: Uint8Array) =>
  prompt.some(({ role, content }) => {
    return (
      role === 'user' &&
      content.some(
        (part) => part.type === 'file' && part.data.type === 'data' && isSame(part.data.data, bytes),
      )
    )
  })

/** Whether each result of a tool has its picture. A call that was not made has none. */
const hasPicture = (prompt: LanguageModelV4CallOptions['prompt'], tool: string, bytes: Uint8Array) =>
  prompt.every(({ role, content }) => {
    if (role !== 'tool') return true
    return content.every((part) => {
      if (part.type !== 'tool-result' || part.toolName !== tool || part.output.type === 'error-text')
        return true
      const parts = part.output.type === 'content' ? part.output.value : []
      return parts.some((each) => {
        return each.type === 'file' && each.data.type === 'data' && isSame(each.data.data, bytes)
      })
    })
  })

const isSame = (sent: Uint8Array | string, bytes: Uint8Array) =>
  sent.length === bytes.length && bytes.every((byte, index) => sent[index] === byte)

function piecewise<Piece>(
  life: SimulatedProcess,
  stream: ReadableStream<Piece>,
  name: string,
): ReadableStream<Piece> {
  const reader = stream.getReader()
  return new ReadableStream<Piece>(
    {
      async pull(controller) {
        const { done, value } = await life.cross(name, () => reader.read())
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
