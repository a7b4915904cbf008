import type { ChannelAccess, ChannelGroupAccess, JsonObject, Rating } from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import type { InboundFile, LoadedFile, LoadFileOptions, OutboundFile } from './channel-file.ts'

/** A button below a message. */
export interface MessageButton {
  readonly label: string
  /** Command that a button press sends, such as `/approve ABCD2345`. At most 64 bytes. */
  readonly command: string
  /** Green or red, on a platform that has colors. @default neither */
  readonly style?: 'positive' | 'negative'
}

/** A press of a button. */
export interface ButtonPress {
  /** The platform's id of it, for `answerPress`. */
  readonly id: string
  /** Whether the platform shows that an answer is being written, until one comes. @default false */
  readonly needsAnswer?: boolean
}

/** Additional actions of a send. */
export interface NoticeOptions {
  /** To show below the part. A platform without buttons leaves them out: the text names their commands. */
  readonly buttons?: readonly MessageButton[]
  /** The platform's id of an earlier message that the part replaces, if the platform can: else it is a message of its own. */
  readonly replaces?: string
}

export type {
  InboundFile,
  InboundFileKind,
  LoadedFile,
  LoadFileOptions,
  OutboundFile,
} from './channel-file.ts'

/** A webhook request, its body read once. */
export interface ChannelRequest {
  readonly method: string
  /** Query string without `?`. */
  readonly search: string
  /** Value of a header; `name` in lower case. */
  header(name: string): string | undefined
  /** The bytes that were signed. */
  readonly body: Uint8Array
  /** Whether a program of this very machine sent it: address and `Host` are loopback, no proxy passed it on, no page sent it. */
  readonly isLocal: boolean
}

/** Immediate response to a platform. */
export interface ChannelReply {
  readonly status: number
  readonly contentType?: string
  /** @default '' over HTTP, or for a status from 400 on the body of an error without particulars */
  readonly body?: string
}

/** Where an answer goes: plain JSON that waits in the store, over a restart too. */
export interface ReplyTarget {
  /** Milliseconds since the epoch after which the platform takes no answer this way (Discord). */
  readonly expiresAtMs?: number
  readonly data: JsonObject
}

/** A message of a person, as all channels give it. */
export interface InboundMessage {
  /** All are claimed together; one that was seen before makes the message a duplicate. */
  readonly dedupeKeys: readonly string[]
  /** How long the keys count, in milliseconds. @default 24 hours */
  readonly dedupeForMs?: number
  /** The channel's id, `:`, and what the platform calls it, such as `channel_a:100000001`. At most 200 characters. */
  readonly conversationId: string
  /** May be empty if there are files. */
  readonly text: string
  /** At most 20 are used. @default none */
  readonly files?: readonly InboundFile[]
  /** Who wrote it, by the platform's id. */
  readonly sender: { readonly id: string; readonly name?: string }
  /**
   * The group in which it was written, by the platform's id of the chat: a thread belongs to its channel. Absent in a
   * private chat with the agent.
   */
  readonly group?: { readonly id: string; readonly name?: string }
  /** Whether somebody else than the sender wrote the text: then it counts as untrusted (A20). */
  readonly isQuoted?: boolean
  /** Whether the agent was meant: a private chat, a mention, a reply to it, a command. */
  readonly isAddressed: boolean
  /** The platform's id of the chat, thread or channel. @default the part of `conversationId` after the channel's id */
  readonly chatId?: string
  /** Written without a mention in a thread: the agent is meant when it has answered in this conversation before. */
  readonly isFollowUp?: boolean
  readonly target: ReplyTarget
  /** Present if the person pressed a button: `text` is its command. */
  readonly press?: ButtonPress
}

/** A thumb that a person puts on a message of the agent, or takes away: feedback on the run that wrote the message. */
export interface InboundReaction extends Pick<InboundMessage, 'sender' | 'group'> {
  /** The platform's id of the message, as `send` returned it. */
  readonly messageId: string
  /** Fields that the target of the message must have, because another chat may use the same id. */
  readonly target: JsonObject
  readonly rating: Rating
  /** Whether the person takes it away. @default false */
  readonly isRemoved?: boolean
}

/** Result of reading a webhook request. */
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

/** One message for the platform. */
export interface OutboundPart {
  /** In the platform's own format. */
  readonly text: string
  /** The same text without format, if the platform rejects the format. */
  readonly plain: string
}

/** Options of a send. */
export interface SendOptions {
  /** Aborts when sending takes too long, or the process stops. */
  readonly signal: AbortSignal
  /** Number of the part, from 0. */
  readonly index: number
  /** The same for every repeat of this part. */
  readonly idempotencyKey: string
  /** Present for a message about a call that waits for a person. It does not take the place of an answer. */
  readonly notice?: NoticeOptions
}

/** Why a channel could not do something. */
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

/** What a platform needs and what is said about it. */
export interface ChannelProbe {
  readonly ok: boolean
  readonly identity?: string
  readonly webhookUrl?: string
  readonly warnings: readonly string[]
}

/** How asking for new messages goes, for the status. */
export interface PollState {
  /** `webhook`: the platform calls a webhook and gives nothing to who asks; it is looked at again now and then. */
  readonly mode: 'polling' | 'webhook'
  /** The problem, and what to do. */
  readonly warning?: string
}

/** A messaging platform. Implementations must pass `channelConformance`. */
export interface Channel {
  /** `channel_a` to `channel_e`, or a name of your own: lowercase letters, digits, `_` and `-`. */
  readonly id: string
  /** Agent that answers if no setting names one. For your own channels. @default none */
  readonly defaultAgentId?: string
  /**
   * Who may write in private, for a channel of your app's own; a platform's channel has a setting for it. With `pairing` an
   * unknown person gets a code for the operator. @default 'pairing'
   */
  readonly access?: ChannelAccess
  /** In which groups the agent answers, for a channel of your app's own. @default 'allowlist' */
  readonly groupAccess?: ChannelGroupAccess
  /** Largest part in UTF-16 units, including its format. */
  readonly maxText: number
  /** Whether a send with an unknown outcome may be repeated with the same key. */
  readonly isIdempotent: boolean
  /** The same for a single part, if it differs: whether part `index` may be sent again now if its outcome is unknown. */
  isRepeatable?(target: ReplyTarget, index: number): boolean
  /**
   * Verifies, parses, classifies. Asks nobody: no agent, no store, no network; but a platform whose messages do not
   * say who is meant may be asked once for the bot's own name. Never throws, whatever the body holds: what is not proven
   * is replied to with 401 and no body, a body without a message of a person with text or files by a status below 500.
   */
  receive(request: ChannelRequest): Promise<ReceivedRequest>
  /** An answer in Markdown as the parts that are sent, the same each time. Never empty, and none of them blank. */
  render(markdown: string): readonly OutboundPart[]
  /**
   * Sends one part, by one request, and follows no redirect with the credentials.
   *
   * @returns the platform's id of it, when it gives one.
   * @throws {ChannelError} `temporary` when it surely did not arrive, as without a connection, or may be sent again;
   * `uncertain` when nobody can tell, as behind a connection that broke or a gateway's 502. No message holds a secret.
   * @throws the reason of `signal`, when that aborts.
   */
  send(target: ReplyTarget, part: OutboundPart, options: SendOptions): Promise<{ readonly id?: string }>
  /** Whether `send` can replace an earlier message: see `NoticeOptions.replaces`. @default false */
  readonly canReplace?: boolean
  /** Shows the result to a person who pressed a button, and ends the platform's progress display. Failures are ignored. */
  answerPress?(press: ButtonPress, text: string, signal: AbortSignal): Promise<void>
  /**
   * Converts the target of the last answer in a chat to the target of a message that starts with the agent. The result does
   * not reply to a message, and does not expire. @default the same target
   */
  toChatTarget?(target: ReplyTarget): ReplyTarget
  /** Largest file for `sendFile`, in bytes. For larger files, people get a sentence instead. @default 20 MiB */
  readonly maxFileBytes?: number
  /**
   * Sends a file as a separate message after the parts of the text, with the rules of `send`. Without this method, a
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
   * Loads a file of a message, without following a redirect. Credentials go to the platform's own origin only.
   *
   * @throws {ChannelError} `temporary` if another try may succeed. No message holds a secret or an address.
   */
  loadFile?(reference: JsonObject, options: LoadFileOptions): Promise<LoadedFile>
  /** Removes the platform's progress display if no part of an answer will be sent. Failures are ignored. */
  giveUp?(target: ReplyTarget, signal: AbortSignal): Promise<void>
  /** Asks the platform for new messages until the signal aborts. @throws {ChannelError} */
  poll?(options: {
    readonly offset: number | undefined
    readonly signal: AbortSignal
    /** Keeps them, with the offset behind them, before more are asked for. */
    accept(
      messages: readonly InboundMessage[],
      nextOffset: number,
      reactions?: readonly InboundReaction[],
    ): Promise<void>
    /** Told whenever it changes. */
    report?(state: PollState): void
  }): Promise<void>
  /** Registers `<public base>/api/channels/<id>/webhook`. Rejects an address without https. @throws {ChannelError} */
  setWebhook?(webhookUrl: string, signal: AbortSignal): Promise<void>
  /** Checks the configuration at the platform, and returns problems as warnings. Never throws. */
  probe(signal: AbortSignal): Promise<ChannelProbe>
}

/** Dependencies of a channel. */
export interface ChannelContext {
  /** Replaces the platform's own address. */
  readonly apiBase: string | undefined
  /** `off` switches the check of signatures off; the status warns of it. */
  readonly verify: 'on' | 'off'
  /** A `fetch`, or an instance of ofetch, whose interceptors then run for each request. */
  readonly fetch?: FetchOption | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}
