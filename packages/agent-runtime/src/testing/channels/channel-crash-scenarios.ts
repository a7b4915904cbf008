import type { Channel, ReplyTarget } from '../../ports/channel.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashClient, CrashScenario } from '../crashes/scenario.ts'
import type { Life } from '../crashes/life.ts'

interface Sent {
  readonly chat: string
  readonly text: string
  readonly key: string
}

/** A message of a person. */
interface Written {
  readonly key: string
  readonly chat: string
  readonly text: string
  readonly file?: string
}
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
function createPlatform(isIdempotent: boolean): CrashClient {
  const sent: Sent[] = []
  const taken = new Set<string>()

  function deliver(target: ReplyTarget, text: string, key: string): void {
    if (isIdempotent && sent.some((one) => one.key === key)) return
    sent.push({ chat: toText(target.data['chat']), text, key })
  }

  return {
    channels: (cross) => [toChannel(isIdempotent, cross, deliver)],
    async work(runtime) {
      await runtime.start()
      for (const message of written) {
        if (taken.has(message.key)) continue
        const reply = await runtime.channels.receive('crash', toRequest(message))
        if (reply.status === 200) taken.add(message.key)
        // and once more, as platforms do
        await runtime.channels.receive('crash', toRequest(message))
      }
      while (await isUnderWay(runtime)) await new Promise((resolve) => setTimeout(resolve, 1))
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
        ...(isWhole && (toStranger.length !== 1 || !toStranger[0]?.includes('CODE'))
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

function toChannel(
  isIdempotent: boolean,
  cross: Life['cross'],
  deliver: (target: ReplyTarget, text: string, key: string) => void,
): Channel {
  return {
    id: 'crash',
    defaultAgentId: 'worker',
    access: 'pairing',
    maxText,
    isIdempotent,
    async receive({ body }) {
      const { key, chat, text, file } = JSON.parse(new TextDecoder().decode(body)) as Written
      const message = {
        dedupeKeys: [key],
        conversationId: `crash:${chat}`,
        text,
        ...(file !== undefined && { files: [{ kind: 'picture', reference: { file } } as const] }),
        sender: { id: chat },
        isAddressed: true,
        target: { data: { chat } },
      }
      return { kind: 'message', reply: { status: 200 }, message }
    },
    render(markdown) {
      // a code is another one each time: what is stored in the end could not be compared
      const reply = markdown.replace(/\b[A-HJ-NP-Z2-9]{8}\b/, 'CODE')
      if (reply !== markdown) return [{ text: reply, plain: reply }]
      return Array.from({ length: Math.ceil(markdown.length / maxText) }, (_, index) => {
        const text = markdown.slice(index * maxText, (index + 1) * maxText)
        return { text, plain: text }
      })
    },
    loadFile: async ({ file }) =>
      cross('channel.load', async () => ({ content: new TextEncoder().encode(toText(file)) })),
    send: async (target, { text }, { idempotencyKey }) =>
      cross('channel.send', async () => {
        deliver(target, text, idempotencyKey)
        return {}
      }),
    probe: async () => ({ ok: true, warnings: [] }),
  }
}

const toRequest = (message: object) => ({
  method: 'POST',
  search: '',
  header: () => undefined,
  body: new TextEncoder().encode(JSON.stringify(message)),
  isLocal: true,
})

/** Files in the conversation of the person who sends one. */
async function countFiles(runtime: AgentRuntime): Promise<number> {
  const { messages } = await runtime.conversations.get('crash:right')
  return messages.flatMap(({ files = [] }) => files).length
}

async function isUnderWay(runtime: AgentRuntime): Promise<boolean> {
  const { messages } = await runtime.channels.messages('crash')
  return messages.some(({ status }) => status === 'waiting' || status === 'delivering')
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
  begin: () => createPlatform(isIdempotent),
})

/** Messages that come in, and their answers. */
export const channelCrashScenarios: readonly CrashScenario[] = [toScenario(true), toScenario(false)]

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
