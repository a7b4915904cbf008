import type { ChannelAccess, ChannelGroupAccess, JsonObject, Rating } from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import type { InboundFile, LoadedFile, LoadFileOptions, OutboundFile } from './channel-file.ts'

/** A button below a message. */
export interface MessageButton {
  readonly label: string
  /** Command that a press sends, such as `/approve ABCD2345`. At most 64 bytes. */
  readonly command: string
  /** Green or red, on a platform with colored buttons. @default no color */
  readonly style?: 'positive' | 'negative'
}

/** A button press by a person. */
export interface ButtonPress {
  /** Id of the press on the platform, for `answerPress`. */
  readonly id: string
  /** Whether the platform shows a progress indicator until the result arrives. @default false */
  readonly needsAnswer?: boolean
}

/** Additional options of a send. */
export interface NoticeOptions {
  /** Buttons below the part. A platform without buttons omits them, because the text contains their commands. */
  readonly buttons?: readonly MessageButton[]
  /**
   * Id of an earlier message that the part replaces, if the platform supports it. Otherwise the part is a separate
   * message.
   */
  readonly replaces?: string
}

export type {
  InboundFile,
  InboundFileKind,
  LoadedFile,
  LoadFileOptions,
  OutboundFile,
} from './channel-file.ts'

/** A webhook request with its body. */
export interface ChannelRequest {
  readonly method: string
  /** Query string without `?`. */
  readonly search: string
  /** Returns the value of a header; `name` in lowercase. */
  header(name: string): string | undefined
  /** The signed bytes. */
  readonly body: Uint8Array
  /** Whether a program on this machine sent the request: loopback address and `Host`, no proxy, not from a web page. */
  readonly isLocal: boolean
}

/** Immediate response to a platform. */
export interface ChannelReply {
  readonly status: number
  readonly contentType?: string
  /** Body of the response. @default empty; over HTTP, a generic error body for a status of 400 or above */
  readonly body?: string
}

/** Target of an answer: plain JSON, which is stored and survives a restart. */
export interface ReplyTarget {
  /**
   * Time after which the platform no longer accepts an answer to this target, in milliseconds since the epoch
   * (Discord).
   */
  readonly expiresAtMs?: number
  readonly data: JsonObject
}

/** A received message in the common format of all channels. */
export interface InboundMessage {
  /** Keys that are claimed together. If one is already claimed, the message is a duplicate. */
  readonly dedupeKeys: readonly string[]
  /** Time for which the keys stay claimed, in milliseconds. @default 24 hours */
  readonly dedupeForMs?: number
  /**
   * The channel's id, `:`, and the platform's id of the conversation, such as `channel_a:100000001`. At most 200
   * characters.
   */
  readonly conversationId: string
  /** Text of the message. May be empty if there are files. */
  readonly text: string
  /** Files of the message, of which at most 20 are used. @default no files */
  readonly files?: readonly InboundFile[]
  /** Author of the message, by the platform's id. */
  readonly sender: { readonly id: string; readonly name?: string }
  /** Group of the message, by the platform's chat id; a thread belongs to its channel. Absent in a private chat. */
  readonly group?: { readonly id: string; readonly name?: string }
  /** Whether another person wrote the text, for example in a forwarded message. The text is then untrusted. */
  readonly isQuoted?: boolean
  /** Whether the message is for the agent: a private chat, a mention, a reply to it, or a command. */
  readonly isAddressed: boolean
  /** The platform's id of the chat, thread or channel. @default the part of `conversationId` after the channel's id */
  readonly chatId?: string
  /**
   * Whether it is a message in a thread without a mention. It is for the agent if the agent has answered in this
   * conversation before.
   */
  readonly isFollowUp?: boolean
  readonly target: ReplyTarget
  /** Present if the person pressed a button: `text` is its command. */
  readonly press?: ButtonPress
}

/** A thumb that a person adds to a message of the agent or removes: feedback on the run that wrote the message. */
export interface InboundReaction extends Pick<InboundMessage, 'sender' | 'group'> {
  /** The platform's id of the message, as `send` returned it. */
  readonly messageId: string
  /** Fields that the target of the message must have, because another chat may use the same id. */
  readonly target: JsonObject
  readonly rating: Rating
  /** Whether the person removes the thumb. @default false */
  readonly isRemoved?: boolean
}

/** Result of parsing a webhook request. */
export type ReceivedRequest =
  /** Nothing runs: a handshake, a refused signature, an event that is none of ours. The status tells `why` one was refused. */
  | {
      readonly kind: 'reply'
      readonly reply: ChannelReply
      readonly why: string
      readonly reaction?: InboundReaction
    }
  /**
   * `reply` goes out once the message is kept. `refusal`: what the platform gets if no agent answers, `denial`: if the
   * sender may not write here; both only if they differ from `reply`.
   */
  | {
      readonly kind: 'message'
      readonly reply: ChannelReply
      readonly refusal?: ChannelReply
      readonly denial?: ChannelReply
      readonly message: InboundMessage
    }

/** One message to send to the platform. */
export interface OutboundPart {
  /** Text in the platform's own format. */
  readonly text: string
  /** The text without formatting, in case the platform rejects the formatted one. */
  readonly plain: string
}

/** Options of a send. */
export interface SendOptions {
  /** Aborts when sending takes too long, or the process stops. */
  readonly signal: AbortSignal
  /** Index of the part, starting at 0. */
  readonly index: number
  /** Key that is the same for every retry of this part. */
  readonly idempotencyKey: string
  /** Present for a message about a call that waits for a person. Such a message does not replace an answer. */
  readonly notice?: NoticeOptions
}

/** Reason for a channel error. */
export type ChannelErrorCode =
  /** The platform refuses the credentials. */
  | 'auth'
  /** Later, see `retryAfterMs`. */
  | 'rate_limited'
  /** The chat is gone, or the bot was blocked. */
  | 'gone'
  | 'too_long'
  /** The platform refuses the format: the plain text may pass. */
  | 'format'
  /** The way back is over (Discord's token). */
  | 'expired'
  /** Surely not delivered, and may be tried again. */
  | 'temporary'
  /** It may have been delivered: nobody can tell. */
  | 'uncertain'
  /** It never will be. */
  | 'permanent'

/** Result of a check at the platform. */
export interface ChannelProbe {
  readonly ok: boolean
  readonly identity?: string
  readonly webhookUrl?: string
  readonly warnings: readonly string[]
}

/** State of polling, for the status. */
export interface PollState {
  /**
   * `webhook`: the platform calls a webhook and does not answer polls. The state is checked again from time to time.
   */
  readonly mode: 'polling' | 'webhook'
  /** Problem and fix. */
  readonly warning?: string
}

/** A messaging platform. Implementations must pass `channelConformance`. */
export interface Channel {
  /** `channel_a` to `channel_e`, or a name of your own: lowercase letters, digits, `_` and `-`. */
  readonly id: string
  /** Agent that answers if no setting names one. Only for your app's own channels. @default no agent */
  readonly defaultAgentId?: string
  /**
   * Who may send private messages, for your app's own channel; other channels have a setting. With `pairing`, an
   * unknown person gets a code for the operator to confirm.
   *
   * @default 'pairing'
   */
  readonly access?: ChannelAccess
  /** In which groups the agent answers, for your app's own channel. @default 'allowlist' */
  readonly groupAccess?: ChannelGroupAccess
  /** Maximum length of a part in UTF-16 units, including its formatting. */
  readonly maxText: number
  /** Whether a send with an unknown outcome may be repeated with the same key. */
  readonly isIdempotent: boolean
  /** Whether part `index` may be sent again if its outcome is unknown, if this differs from {@link isIdempotent}. */
  isRepeatable?(target: ReplyTarget, index: number): boolean
  /**
   * Verifies, parses and classifies a request of the platform.
   *
   * Must not use agents, stores or the network, except one request for the bot's own name if the platform's messages
   * do not name the recipient. Never throws. An unverified request gets 401 without a body. A request without a
   * message (text or files from a person) gets a status below 500.
   */
  receive(request: ChannelRequest): Promise<ReceivedRequest>
  /**
   * Splits an answer in Markdown into the parts to send, always in the same way. Returns at least one part, and no
   * blank ones.
   */
  render(markdown: string): readonly OutboundPart[]
  /**
   * Sends one part with one request, without following redirects.
   *
   * @returns the platform's id of the part, if the platform returns one.
   * @throws {ChannelError} `temporary` if the part certainly did not arrive, for example without a connection, or may
   * be sent again; `uncertain` if the outcome is unknown, for example after a broken connection or a gateway's 502.
   * No message contains a secret.
   * @throws the reason of `signal` when it aborts.
   */
  send(target: ReplyTarget, part: OutboundPart, options: SendOptions): Promise<{ readonly id?: string }>
  /** Whether `send` can replace an earlier message: see `NoticeOptions.replaces`. @default false */
  readonly canReplace?: boolean
  /** Shows the result to a person who pressed a button, and ends the platform's progress display. Failures are ignored. */
  answerPress?(press: ButtonPress, text: string, signal: AbortSignal): Promise<void>
  /**
   * Converts the target of the last answer in a chat to the target of a message that the agent starts. The result
   * does not reply to a message and does not expire.
   *
   * @default the same target
   */
  toChatTarget?(target: ReplyTarget): ReplyTarget
  /** Maximum file size for `sendFile`, in bytes. For larger files, people get a sentence instead. @default 20 MiB */
  readonly maxFileBytes?: number
  /**
   * Sends a file as a separate message after the parts of the text. The rules of `send` apply. Without this method, a
   * sentence in the text mentions the file.
   */
  sendFile?(
    target: ReplyTarget,
    file: OutboundFile,
    options: Omit<SendOptions, 'notice'>,
  ): Promise<{ readonly id?: string }>
  /** Shows for some seconds that the agent is writing. Failures are ignored. */
  typing?(target: ReplyTarget, signal: AbortSignal): Promise<void>
  /** Interval in milliseconds at which `typing` must be called to keep the indicator visible. @default 4000 */
  readonly typingEveryMs?: number
  /**
   * Loads a file of a message without following redirects. Credentials are sent only to the platform's own origin.
   *
   * @throws {ChannelError} `temporary` if a retry may succeed. No message contains a secret or an address.
   */
  loadFile?(reference: JsonObject, options: LoadFileOptions): Promise<LoadedFile>
  /** Removes the platform's progress display if no part of an answer will be sent. Failures are ignored. */
  giveUp?(target: ReplyTarget, signal: AbortSignal): Promise<void>
  /** Polls the platform for new messages until the signal aborts. @throws {ChannelError} */
  poll?(options: {
    readonly offset: number | undefined
    readonly signal: AbortSignal
    /** Stores the messages and the next offset before more messages are requested. */
    accept(
      messages: readonly InboundMessage[],
      nextOffset: number,
      reactions?: readonly InboundReaction[],
    ): Promise<void>
    /** Receives each change of the connection's state. */
    report?(state: PollState): void
  }): Promise<void>
  /**
   * Registers `<public base>/api/channels/<id>/webhook` at the platform. Rejects an address without https.
   *
   * @throws {ChannelError}
   */
  setWebhook?(webhookUrl: string, signal: AbortSignal): Promise<void>
  /** Checks the configuration at the platform, and returns problems as warnings. Never throws. */
  probe(signal: AbortSignal): Promise<ChannelProbe>
}

/** Context of a channel: its settings and dependencies. */
export interface ChannelContext {
  /** Address to use instead of the platform's own. */
  readonly apiBase: string | undefined
  /** `off` disables the check of signatures; the status then contains a warning. */
  readonly verify: 'on' | 'off'
  /** A `fetch` function, or an ofetch instance whose interceptors then run for each request. */
  readonly fetch?: FetchOption | undefined
  /** Returns the milliseconds since the epoch. */
  readonly now: () => number
}
