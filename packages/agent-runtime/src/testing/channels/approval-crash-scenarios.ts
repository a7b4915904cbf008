import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashClient, CrashScenario } from '../crashes/scenario.ts'
import { codes } from '../crashes/final-state.ts'
import {
  arrivalProblems,
  createCrashPlatform,
  isUnderWay,
  nextLook,
  openChat,
  post,
} from './crash-platform.ts'

const chat = 'ann'
const announced = 'The agent needs an approval'
const expected = ['Approved: `send`', 'All sent.']

/** Somebody who asks for something, reads the announcement of the call, and approves it. */
function createApprover(): CrashClient {
  const { sent, channels } = createCrashPlatform({ isIdempotent: false, maxText: 4000 })
  const announcements = () => sent.filter(({ text }) => text.startsWith(announced))
  /** The code as the person knows it: if no announcement came, a list of the calls that wait has it. */
  const readCode = () => sent.find(({ text }) => text.search(codes) !== -1)?.text.match(codes)?.[0]

  let isTaken = false

  async function decide(runtime: AgentRuntime): Promise<void> {
    const code = readCode()
    if (code !== undefined) isTaken = await post(runtime, { key: 'decision', chat, text: `/approve ${code}` })
    else if (await isUncertain(runtime)) await post(runtime, { key: 'question', chat, text: '/approve' })
  }

  return {
    channels,
    async work(runtime) {
      await runtime.start()
      await post(runtime, { key: 'task', chat, text: 'Send it' })
      // each look at the runtime is another point to kill it at: few are enough
      while (!isTaken) {
        for (let looks = 0; readCode() === undefined && looks < 20; looks += 1) await nextLook(5)
        await decide(runtime)
      }
      while (!(await isClosed(runtime)) || (await isUnderWay(runtime))) await nextLook(20)
    },
    async problems(runtime) {
      const { messages } = await runtime.channels.messages('crash')
      const isWhole = messages.every(({ status }) => status === 'delivered')
      const isHonest = messages.every(({ status }) => status === 'delivered' || status === 'uncertain')
      const { approvals = [], result } = (await runtime.runs.list()).runs[0] ?? {}
      const isUncertainEffect = JSON.stringify(result).includes('effect_uncertain')
      const count = announcements().length
      const stored = messages.filter(({ text }) => text.startsWith(announced)).length
      return [
        ...(count > 1 || stored !== 1
          ? [`the call is announced ${stored} times, and sent ${count} times`]
          : []),
        ...(isWhole && count === 0 ? ['the announcement counts as delivered, and was not sent'] : []),
        ...arrivalProblems(
          sent.map(({ text }) => text),
          expected,
          isWhole && !isUncertainEffect,
        ),
        ...(isHonest ? [] : ['a message is neither delivered nor uncertain']),
        ...(approvals.length === 1 && approvals[0]?.status === 'approved'
          ? []
          : ['the call is not approved']),
      ]
    },
  }
}

/** Whether an announcement may have been lost. */
async function isUncertain(runtime: AgentRuntime): Promise<boolean> {
  const { messages } = await runtime.channels.messages('crash', { status: 'uncertain' })
  return messages.length > 0
}

/** Whether the chat gets what was decided. */
async function isClosed(runtime: AgentRuntime): Promise<boolean> {
  const { messages } = await runtime.channels.messages('crash')
  return messages.some(({ text }) => text.startsWith('Approved'))
}

/** A call that waits for a person, announced in the chat of its run and decided there. */
export const approvalCrashScenario: CrashScenario = {
  name: 'a call that a chat approves',
  tools: [{ id: 'send', repeat: 'once' }],
  models: {
    worker: [{ toolCalls: [{ name: 'send', id: 'a', args: { to: 1 } }] }, { text: 'All sent.' }],
  },
  async prepare(runtime) {
    const limits = { max_runtime: 60 }
    await runtime.agents.create({ id: 'worker', model: 'crash/worker', limits, approval_tools: ['send'] })
    await openChat(runtime, chat)
  },
  begin: createApprover,
}
