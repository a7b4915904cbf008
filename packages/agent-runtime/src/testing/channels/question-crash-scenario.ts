import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashClient, CrashScenario } from '../crashes/scenario.ts'
import {
  arrivalProblems,
  createCrashPlatform,
  isUnderWay,
  nextLook,
  openChat,
  post,
} from './crash-platform.ts'

const chat = 'ann'
const ask = (id: string, message: string) => ({ name: 'ask_user', id, args: { message } })
const expected = ['Both are known.']
const answers = ['one', 'two']

/** Somebody who asks for something, and answers the two questions that come. */
function createAnswerer(): CrashClient {
  const { sent, channels } = createCrashPlatform({ isIdempotent: false, maxText: 4000 })

  async function countQuestions(runtime: AgentRuntime): Promise<number> {
    const { messages } = await runtime.channels.messages('crash')
    return messages.filter(({ text }) => text.startsWith('Which is')).length
  }

  return {
    channels,
    async work(runtime) {
      await runtime.start()
      await post(runtime, { key: 'task', chat, text: 'Ask me' })
      for (const [index, text] of answers.entries()) {
        while ((await countQuestions(runtime)) <= index) await nextLook(25)
        // a copy of the first answer comes while the second question is open
        for (const copy of [...answers.slice(0, index), text])
          await post(runtime, { key: `answer ${copy}`, chat, text: copy })
      }
      while (await isUnderWay(runtime)) await nextLook(20)
    },
    async problems(runtime) {
      const { messages } = await runtime.channels.messages('crash')
      const isWhole = messages.every(({ status }) => status === 'delivered')
      const { runs } = await runtime.runs.list()
      const given = JSON.stringify(runs.flatMap(({ waits }) => waits.map(({ data }) => data)))
      const count = await countQuestions(runtime)
      return [
        ...(runs.length === 1 ? [] : [`there are ${runs.length} runs`]),
        ...(given === JSON.stringify(answers) ? [] : [`the answers are ${given}`]),
        ...(count === answers.length ? [] : [`${count} questions are announced`]),
        ...arrivalProblems(
          sent.map(({ text }) => text),
          expected,
          isWhole,
        ),
      ]
    },
  }
}

/** A run that asks the chat that it came from. */
export const questionCrashScenario: CrashScenario = {
  name: 'questions that a chat answers',
  tools: [],
  models: {
    worker: [
      { toolCalls: [ask('a', 'Which is first?')] },
      { toolCalls: [ask('b', 'Which is second?')] },
      { text: 'Both are known.' },
    ],
  },
  async prepare(runtime) {
    const limits = { max_runtime: 60 }
    await runtime.agents.create({ id: 'worker', model: 'crash/worker', limits, ask_user: true })
    await openChat(runtime, chat)
  },
  begin: createAnswerer,
}
