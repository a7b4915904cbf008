import { expect, it, onTestFinished } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createAgentPlatformHandler } from '../create-agent-platform-handler.ts'

const answers: readonly (readonly [string, unknown, number, number])[] = [
  ['true', true, 200, 0],
  ['false', false, 401, 0],
  ['nothing', undefined, 401, 0],
  ['a response that refuses', new Response(null, { status: 401 }), 500, 1],
  ['a text', 'no', 500, 1],
]

it.each(answers)(
  'A19: only true lets a caller in, and auth that answers %s is heard',
  async (_name, answer, status, told) => {
    const runtime = createRuntime()
    onTestFinished(() => runtime.close())
    const errors: unknown[] = []
    const platform = createAgentPlatformHandler({
      runtime,
      auth: () => answer as boolean, // what a host without types gives
      onError: (error) => errors.push(error),
    })
    const request = new Request('http://127.0.0.1/api/agents')
    const response = await platform.fetch(request, { remoteAddress: '127.0.0.1' })
    expect([response.status, errors.length]).toEqual([status, told])
  },
)
