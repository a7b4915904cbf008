import type { Channel, ReplyTarget } from '../../ports/channel.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { codes } from '../crashes/final-state.ts'
import type { SimulatedProcess } from '../crashes/simulated-process.ts'

/** A text or a file that has arrived at the platform. */
interface Sent {
  readonly chat: string
  readonly text: string
  readonly key: string
}

/** A message of a person. */
export interface Written {
  readonly key: string
  readonly chat: string
  readonly text: string
  readonly file?: string
}

/** A platform that outlives the processes that write to it. */
interface CrashPlatform {
  /** All that has arrived, a file as `name: content`. */
  readonly sent: readonly Sent[]
  /** The channel named `crash` of one process. */
  channels(cross: SimulatedProcess['cross']): readonly Channel[]
}

/** How a {@link CrashPlatform} works. */
interface CrashPlatformOptions {
  /** Whether it takes a part with the same key once. */
  readonly isIdempotent: boolean
  /** Largest part. */
  readonly maxText: number
}

type Deliver = (target: ReplyTarget, text: string, key: string) => void

/** A platform with the default agent `worker`. */
export function createCrashPlatform(options: CrashPlatformOptions): CrashPlatform {
  const sent: Sent[] = []

  function deliver(target: ReplyTarget, text: string, key: string): void {
    if (options.isIdempotent && sent.some((one) => one.key === key)) return
    sent.push({ chat: toText(target.data['chat']), text, key })
  }

  return { sent, channels: (cross) => [toChannel(options, cross, deliver)] }
}

/** Posts a message to the webhook twice, as platforms do. @returns whether it was taken */
export async function post(runtime: AgentRuntime, message: Written): Promise<boolean> {
  const { status } = await runtime.channels.receive('crash', toRequest(message))
  await runtime.channels.receive('crash', toRequest(message))
  return status === 200
}

/** Whether something is still to be sent, or a message waits for its answer. */
export async function isUnderWay(runtime: AgentRuntime): Promise<boolean> {
  const { messages } = await runtime.channels.messages('crash')
  return messages.some(({ status }) => status === 'waiting' || status === 'delivering')
}

/** Waits a little between two looks. */
export const nextLook = (ms = 1) => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets a person in who has written once, so that the agent may write to the chat. */
export async function openChat(runtime: AgentRuntime, chat: string): Promise<void> {
  await runtime.channels.setSender('crash', chat, { status: 'allowed' })
  await post(runtime, { key: `first of ${chat}`, chat, text: '/stop' })
  while (await isUnderWay(runtime)) await nextLook()
}

/**
 * Compares what arrived in a chat with what had to arrive.
 *
 * @param isWhole Whether all of it counts as delivered. If not, parts may be missing.
 */
export function arrivalProblems(texts: readonly string[], expected: readonly string[], isWhole: boolean) {
  return expected.flatMap((text) => {
    const count = texts.filter((one) => one === text).length
    if (count > 1) return [`sent ${count} times: ${text}`]
    return isWhole && count === 0 ? [`counts as delivered, and was not sent: ${text}`] : []
  })
}

function toChannel(
  { isIdempotent, maxText }: CrashPlatformOptions,
  cross: SimulatedProcess['cross'],
  deliver: Deliver,
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
      // a code stays whole, so that it can be read and compared
      const size = markdown.search(codes) === -1 ? maxText : markdown.length
      return Array.from({ length: Math.ceil(markdown.length / size) }, (_, index) => {
        const text = markdown.slice(index * size, (index + 1) * size)
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
    sendFile: async (target, { name, content }, { idempotencyKey }) =>
      cross('channel.sendFile', async () => {
        deliver(target, `${name}: ${new TextDecoder().decode(content)}`, idempotencyKey)
        return {}
      }),
    probe: async () => ({ ok: true, warnings: [] }),
  }
}

const toRequest = (message: Written) => ({
  method: 'POST',
  search: '',
  header: () => undefined,
  body: new TextEncoder().encode(JSON.stringify(message)),
  isLocal: true,
})

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
