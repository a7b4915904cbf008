import type {
  ChannelMessage,
  ChannelMessageDecision,
  ChannelMessageStatus,
  ChannelRoute,
  ChannelSender,
  ChannelSenderChange,
  ChannelSendRequest,
  ChannelStatus,
} from '@homeward/contract/agent-platform'
import type { ChannelReply, ChannelRequest } from '../ports/channel.ts'

/** Which messages of a channel. */
export interface ChannelMessageQuery {
  readonly status?: ChannelMessageStatus | undefined
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Messaging channels. An agent answers each received message once. Channels can be named by either of their names. */
export interface Channels {
  /**
   * Receives a webhook request of a platform. Resolves after its message is stored. The answer is sent later, in the
   * background.
   *
   * @returns what the platform is answered: 401 when the request did not prove where it comes from.
   * @throws {RuntimeError} `not_found` when the channel is not set up; `storage_error` or `closed` when the message could
   * not be kept: answer 503, and the platform sends it again.
   */
  receive(channel: string, request: ChannelRequest): Promise<ChannelReply>
  /**
   * The state of a channel. With `probe`, the platform is asked.
   *
   * @throws {RuntimeError} `not_found`
   */
  status(
    channel: string,
    options?: { readonly probe?: boolean; readonly signal?: AbortSignal },
  ): Promise<ChannelStatus>
  /**
   * Registers `<baseUrl>/api/channels/<channel>/webhook` with the platform.
   *
   * @returns that address.
   * @throws {RuntimeError} `not_found` when the channel cannot; `conflict` when it is not set up; `validation_error` for
   * an address with a query, a fragment, a user or a password; `validation_error` or `channel_error` when the platform
   * refuses or fails.
   */
  setWebhook(channel: string, baseUrl: string, signal?: AbortSignal): Promise<string>
  /** Newest first. @throws {RuntimeError} `not_found` */
  messages(
    channel: string,
    query?: ChannelMessageQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly messages: ChannelMessage[]; readonly nextCursor?: string }>
  /**
   * Resends or discards an answer that failed or may not have arrived.
   *
   * @throws {RuntimeError} `not_found`; `conflict` when there is nothing to decide.
   */
  resolve(
    channel: string,
    messageId: string,
    decision: ChannelMessageDecision['decision'],
  ): Promise<ChannelMessage>
  /**
   * Sends a message that starts with the agent, to a chat from which the agent has received a message. Resolves when the
   * message is stored. It is sent once, in the background.
   *
   * Once it is sent, it is a message of the assistant in the conversation of the chat, and the next run reads it.
   *
   * @param isUntrusted whether it may quote what a stranger wrote. @default false
   * @returns the message. With an idempotency key that a message already has, that message.
   * @throws {RuntimeError} `not_found` for an unknown channel or conversation; `forbidden` unless the person or the group is
   * allowed; `conflict` if the channel is not set up, or the key belongs to another message.
   */
  send(channel: string, message: ChannelSendRequest, isUntrusted?: boolean): Promise<ChannelMessage>
  /** Which agent answers in which chat, by conversation. @throws {RuntimeError} `not_found` */
  routes(channel: string, signal?: AbortSignal): Promise<ChannelRoute[]>
  /**
   * Replaces the routes of a channel.
   *
   * @returns the routes as they are stored.
   * @throws {RuntimeError} `not_found` for an unknown channel; `validation_error` for an unknown agent, or for two routes of one
   * conversation.
   */
  setRoutes(channel: string, routes: readonly ChannelRoute[]): Promise<ChannelRoute[]>
  /**
   * People and groups that wait for permission, are allowed or are blocked, newest first. @throws {RuntimeError} `not_found`
   */
  senders(channel: string, signal?: AbortSignal): Promise<ChannelSender[]>
  /**
   * Allows or blocks a person or a group by the platform's id, also before the first message, or links a person to a user. If a
   * person who waited or was blocked is allowed, the person gets one message in the private chat, in the background.
   *
   * @throws {RuntimeError} `not_found` for an unknown channel, or for an unknown sender without a `status`;
   * `validation_error` for the user of a group.
   */
  setSender(channel: string, senderId: string, change: ChannelSenderChange): Promise<ChannelSender>
  /**
   * Allows the person who got this pairing code in the chat. The person gets one message there, in the background.
   *
   * @throws {RuntimeError} `not_found` for a wrong or expired code; `rate_limited` after 10 wrong codes in 10 minutes.
   */
  pair(channel: string, code: string): Promise<ChannelSender>
}
