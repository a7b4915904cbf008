import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createAgentPlatformHandler } from './create-agent-platform-handler.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'

setFlagsFromString('--expose_gc')
const collectGarbage = runInNewContext('gc') as () => void // what the flag makes

it('holds no bytes of a file while the model answers', async () => {
  const sent: WeakRef<object>[] = []
  const model = createScriptedModel([])
  const answering = {
    ...model,
    specificationVersion: 'v4' as const,
    async doStream({ prompt }: Parameters<typeof model.doStream>[0]) {
      for (const { content } of prompt)
        for (const part of typeof content === 'string' ? [] : content)
          if (part.type === 'file' && part.data.type === 'data')
            sent.push(new WeakRef(part.data.data as Uint8Array))
      // it never ends
      return {
        stream: new ReadableStream({ start: (to) => to.enqueue({ type: 'stream-start', warnings: [] }) }),
      }
    },
  }
  await using runtime = createRuntime({ environment: {}, models: { mine: () => answering } })
  await runtime.agents.create({ id: 'a', model: 'mine/any' })
  const { respond } = createAgentPlatformHandler({ runtime, auth: { kind: 'none' }, guard: () => {} })
  const given: WeakRef<object>[] = []
  const post = () => {
    const data = Buffer.alloc(1_000_000, 7).toString('base64')
    const files = [{ media_type: 'image/png', data }]
    let bytes: Uint8Array | undefined = new TextEncoder().encode(
      JSON.stringify({ agent_id: 'a', task: 'Look', files }),
    )
    given.push(new WeakRef(bytes))
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    void respond({
      method: 'POST',
      path: '/api/agents/run',
      search: '',
      origin: 'http://127.0.0.1',
      remoteAddress: undefined,
      signal: new AbortController().signal,
      header: (name) => headers[name],
      async *body() {
        const all = bytes ?? new Uint8Array()
        bytes = undefined
        yield all
      },
    })
  }
  post()
  await expect.poll(() => sent.length).toBe(1)
  await expect
    .poll(() => {
      collectGarbage()
      return [...given, ...sent].filter((held) => held.deref() !== undefined).length
    })
    .toBe(0)
})
