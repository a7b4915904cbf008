import type {
  ButtonPress,
  Channel,
  ChannelReply,
  ChannelRequest,
  InboundFile,
  InboundMessage,
  NoticeOptions,
  OutboundPart,
  ReceivedRequest,
  ReplyTarget,
  SendOptions,
} from '../../ports/channel.ts'

/** A message that has left. */
interface SentPart {
  readonly notice?: NoticeOptions
  readonly chat: string
  readonly text: string
  readonly idempotencyKey: string
}

/** What a {@link createTestChannel} does; all of it may be left out. */
export interface TestChannelOptions {
  readonly id?: string
  readonly agentId?: string
  readonly isIdempotent?: boolean
  /** Largest part. @default 1000 */
  readonly maxText?: number
  /** Sends a part; what it throws is what the platform says. */
  readonly onSend?: (part: SentPart, options: SendOptions) => Promise<void>
  readonly typing?: Channel['typing']
  readonly poll?: Channel['poll']
  readonly giveUp?: Channel['giveUp']
  readonly loadFile?: Channel['loadFile']
  readonly sendFile?: Channel['sendFile']
  readonly maxFileBytes?: number
  readonly setWebhook?: Channel['setWebhook']
  readonly canReplace?: boolean
  readonly answerPress?: Channel['answerPress']
  readonly refusal?: ChannelReply
  readonly denial?: ChannelReply
  /** @default 'open': most tests are about other things */
  readonly access?: Channel['access']
  readonly groupAccess?: Channel['groupAccess']
}

/** A platform for tests: a webhook body is `{ key, chat, text }`, an answer is cut at `maxText`. */
interface TestChannel extends Channel {
  /** What has arrived at the platform. */
  readonly sent: SentPart[]
}

export function createTestChannel(options: TestChannelOptions = {}): TestChannel {
  const { id = 'test', agentId, isIdempotent = false, maxText = 1000, onSend, refusal } = options
  const {
    answerPress,
    canReplace,
    typing,
    poll,
    giveUp,
    sendFile,
    maxFileBytes,
    loadFile,
    setWebhook,
    denial,
    access = 'open',
    groupAccess,
  } = options
  const sent: SentPart[] = []
  return {
    id,
    sent,
    maxText,
    isIdempotent,
    access,
    ...(groupAccess && { groupAccess }),
    ...(agentId !== undefined && { defaultAgentId: agentId }),
    async receive({ body, header }): Promise<ReceivedRequest> {
      if (header('x-test-secret') === 'wrong')
        return { kind: 'reply', reply: { status: 401 }, why: 'no secret' }
      const message = toInbound(id, JSON.parse(new TextDecoder().decode(body)) as TestMessage)
      const reply = { status: 200, body: 'ok' }
      return { kind: 'message', reply, message, ...(refusal && { refusal }), ...(denial && { denial }) }
    },
    render(markdown): OutboundPart[] {
      const count = Math.max(1, Math.ceil(markdown.length / maxText))
      return Array.from({ length: count }, (_, index) => {
        const plain = markdown.slice(index * maxText, (index + 1) * maxText)
        return { text: `*${plain}*`, plain }
      })
    },
    async send(target: ReplyTarget, { text }: OutboundPart, given: SendOptions) {
      const { idempotencyKey, notice } = given
      const chat = toText(target.data['chat'])
      const part = { chat, text, idempotencyKey, ...(notice && { notice }) }
      if (onSend) await onSend(part, given)
      const known = isIdempotent && sent.findIndex((one) => one.idempotencyKey === idempotencyKey)
      if (typeof known === 'number' && known !== -1) return { id: `sent ${known + 1}` }
      sent.push(part)
      return { id: `sent ${sent.length}` }
    },
    ...(answerPress && { answerPress }),
    ...(canReplace && { canReplace }),
    ...(typing && { typing }),
    ...(poll && { poll }),
    ...(giveUp && { giveUp }),
    ...(loadFile && { loadFile }),
    ...(sendFile && { sendFile }),
    ...(maxFileBytes !== undefined && { maxFileBytes }),
    ...(setWebhook && { setWebhook }),
    probe: async () => ({ ok: true, identity: 'test bot', warnings: [] }),
  }
}

/** A message of a person at the test platform. */
export interface TestMessage {
  readonly key?: string
  readonly keys?: readonly string[]
  readonly chat?: string
  /** @default 'somebody' */
  readonly sender?: string
  readonly name?: string
  readonly group?: string
  readonly text: string
  /** `base64`: bytes that come along. */
  readonly files?: readonly (InboundFile & { readonly base64?: string })[]
  readonly isAddressed?: boolean
  readonly isFollowUp?: boolean
  readonly isQuoted?: boolean
  readonly press?: ButtonPress
}

/** The message as the channel gives it. */
export function toInbound(channel: string, message: TestMessage): InboundMessage {
  const { key, keys, chat = '1', text, files, isAddressed = true, isFollowUp, ...from } = message
  const { isQuoted, press } = message
  return {
    dedupeKeys: keys ?? [key ?? text],
    conversationId: `${channel}:${chat}`,
    text,
    ...(files && { files: files.map(toFile) }),
    sender: { id: from.sender ?? 'somebody', ...(from.name !== undefined && { name: from.name }) },
    ...(from.group !== undefined && { group: { id: from.group } }),
    isAddressed,
    ...(isFollowUp !== undefined && { isFollowUp }),
    ...(isQuoted && { isQuoted }),
    ...(press && { press }),
    target: { data: { chat } },
  }
}

/** A webhook request with that message. */
export function toRequest(
  message: TestMessage,
  headers: Readonly<Record<string, string>> = {},
): ChannelRequest {
  return {
    method: 'POST',
    search: '',
    header: (name) => headers[name],
    body: new TextEncoder().encode(JSON.stringify(message)),
    isLocal: true,
  }
}

const toFile = ({ base64, ...file }: NonNullable<TestMessage['files']>[number]): InboundFile =>
  base64 === undefined ? file : { ...file, content: new Uint8Array(Buffer.from(base64, 'base64')) }

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
