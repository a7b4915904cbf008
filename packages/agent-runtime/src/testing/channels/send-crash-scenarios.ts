import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashClient, CrashScenario } from '../crashes/scenario.ts'
import { arrivalProblems, createCrashPlatform, isUnderWay, nextLook, openChat } from './crash-platform.ts'

const content = 'Sunny'
const body = JSON.stringify({
  conversation_id: 'crash:ann',
  text: 'Good morning. Here is the weather of today.',
  files: [{ name: 'weather.txt', media_type: 'text/plain', data: btoa(content) }],
})
const maxText = 30
const expected = ['Good morning. Here is the weat', 'her of today.', `weather.txt: ${content}`]

/** Sends over REST. @returns the id of the message, or what is wrong with the response */
async function send(runtime: AgentRuntime): Promise<{ readonly id?: string; readonly problem?: string }> {
  const { createAgentPlatformHandler } = await import('../../server/create-agent-platform-handler.ts')
  const { fetch } = createAgentPlatformHandler({ runtime, auth: { kind: 'none' } })
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'the-same-request' }
  const url = 'http://localhost/api/channels/crash/send'
  const response = await fetch(new Request(url, { method: 'POST', headers, body }))
  const text = await response.text()
  if (response.status !== 202) return { problem: `a send got ${response.status}: ${text}` }
  const { message } = JSON.parse(text) as { readonly message: { readonly id: string } } // by the contract
  return { id: message.id }
}

/** Somebody who sends the same message until a process has answered and the message is done. */
function createSender(isIdempotent: boolean): CrashClient {
  const { sent, channels } = createCrashPlatform({ isIdempotent, maxText })
  const ids = new Set<string>()
  const refusals: string[] = []

  return {
    channels,
    async work(runtime) {
      await runtime.start()
      for (let times = 0; times < 2; times += 1) {
        const { id, problem } = await send(runtime)
        if (id !== undefined) ids.add(id)
        if (problem !== undefined) refusals.push(problem)
      }
      while (await isUnderWay(runtime)) await nextLook()
    },
    async problems(runtime) {
      const { messages } = await runtime.channels.messages('crash')
      const mine = messages.filter(({ id }) => ids.has(id))
      const status = mine[0]?.status ?? 'missing'
      const isWhole = status === 'delivered'
      return [
        ...refusals,
        ...arrivalProblems(textsOf(sent), expected, isWhole),
        ...(mine.length === 1 && messages.length === 2 ? [] : [`there are ${messages.length} messages`]),
        ...(isWhole || (status === 'uncertain' && !isIdempotent) ? [] : [`the message is ${status}`]),
      ]
    },
  }
}

const textsOf = (sent: readonly { readonly text: string }[]) => sent.map(({ text }) => text)

const toScenario = (isIdempotent: boolean): CrashScenario => ({
  name: isIdempotent
    ? 'a message over REST to a platform that knows what it has got'
    : 'a message over REST to a platform that takes everything twice',
  tools: [],
  models: {},
  async prepare(runtime) {
    await runtime.agents.create({ id: 'worker', model: 'test/echo' })
    await openChat(runtime, 'ann')
  },
  begin: () => createSender(isIdempotent),
})

/** A message that starts with the agent, sent over REST with an idempotency key. */
export const sendCrashScenarios: readonly CrashScenario[] = [toScenario(true), toScenario(false)]
