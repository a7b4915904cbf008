import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashClient, CrashScenario } from '../crashes/scenario.ts'
import { codes } from '../crashes/final-state.ts'
import { approvalCrashScenario } from './approval-crash-scenarios.ts'
import { createCrashPlatform, isUnderWay, nextLook, post, type Written } from './crash-platform.ts'
import { questionCrashScenario } from './question-crash-scenario.ts'
import { reportCrashScenarios } from './report-crash-scenarios.ts'
import { sendCrashScenarios } from './send-crash-scenarios.ts'

/** What people write: two of one conversation, one of another with a file, and one whom nobody has let in. */
const written: readonly Written[] = [
  { key: 'k1', chat: 'left', text: 'One two' },
  { key: 'k2', chat: 'left', text: 'Three' },
  { key: 'k3', chat: 'right', text: 'Four', file: 'a picture' },
  { key: 'k4', chat: 'stranger', text: 'Let me in' },
]
const maxText = 4
const expected = ['left: One ', 'left: two', 'left: Thre', 'left: e', 'right: Four']

/** A platform, and its people: it sends a message again until it is taken. */
function createPeople(isIdempotent: boolean): CrashClient {
  const { sent, channels } = createCrashPlatform({ isIdempotent, maxText })
  const taken = new Set<string>()

  return {
    channels,
    async work(runtime) {
      await runtime.start()
      for (const message of written) {
        if (!taken.has(message.key) && (await post(runtime, message))) taken.add(message.key)
      }
      while (await isUnderWay(runtime)) await nextLook()
    },
    async problems(runtime) {
      const { messages } = await runtime.channels.messages('crash')
      const lines = sent.map(({ chat, text }) => `${chat}: ${text}`)
      const left = lines.filter((line) => line.startsWith('left'))
      const right = lines.filter((line) => line.startsWith('right'))
      const toStranger = lines.filter((line) => line.startsWith('stranger'))
      const isWhole = messages.every(({ status }) => status === 'delivered')
      const twice = lines.filter((line, index) => lines.indexOf(line) < index)
      return [
        ...twice.map((line) => `sent twice: ${line}`),
        ...(isWhole && [...left, ...right].join('|') !== expected.join('|')
          ? [`everything counts as delivered, and this was: ${[...left, ...right].join('|')}`]
          : []),
        ...(isWhole && (toStranger.length !== 1 || toStranger[0]?.search(codes) === -1)
          ? [`a stranger was sent: ${toStranger.join('|')}`]
          : []),
        ...(isIdempotent && !isWhole ? ['a send that can be repeated was not'] : []),
        ...(isWhole && (await countFiles(runtime)) !== 1
          ? ['the file of a message is not in its conversation']
          : []),
        ...(messages.length === written.length ? [] : [`there are ${messages.length} messages`]),
      ]
    },
  }
}

/** Files in the conversation of the person who sends one. */
async function countFiles(runtime: AgentRuntime): Promise<number> {
  const { messages } = await runtime.conversations.get('crash:right')
  return messages.flatMap(({ files = [] }) => files).length
}

const toScenario = (isIdempotent: boolean): CrashScenario => ({
  name: isIdempotent
    ? 'messages of a platform that knows what it has got'
    : 'messages of a platform that takes everything twice',
  tools: [],
  models: {},
  async prepare(runtime) {
    await runtime.agents.create({ id: 'worker', model: 'test/echo', limits: { max_runtime: 60 } })
    for (const id of ['left', 'right']) await runtime.channels.setSender('crash', id, { status: 'allowed' })
  },
  begin: () => createPeople(isIdempotent),
})

/** Messages that come in, and their answers; then messages that start with the agent. */
export const channelCrashScenarios: readonly CrashScenario[] = [
  toScenario(true),
  toScenario(false),
  ...sendCrashScenarios,
  ...reportCrashScenarios,
  approvalCrashScenario,
  questionCrashScenario,
]
