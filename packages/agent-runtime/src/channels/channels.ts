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

/** Filter for the messages of a channel. */
export interface ChannelMessageQuery {
  readonly status?: ChannelMessageStatus | undefined
  /** Page size, 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Messaging channels. An agent answers each received message once. Both names of a channel are accepted. */
export interface Channels {
  /**
   * Receives a webhook request of a platform. Resolves after its message is stored. The answer is sent later, in the
   * background.
   *
   * @returns the response for the platform: 401 if the request could not be verified.
   * @throws {RuntimeError} `not_found` if the channel is not set up; `storage_error` or `closed` if the message could
   * not be stored: respond with 503, and the platform retries.
   */
  receive(channel: string, request: ChannelRequest): Promise<ChannelReply>
  /**
   * Returns the status of a channel. With `probe`, contacts the platform.
   *
   * @throws {RuntimeError} `not_found`
   */
  status(
    channel: string,
    options?: { readonly probe?: boolean; readonly signal?: AbortSignal },
  ): Promise<ChannelStatus>
  /**
   * Registers `<baseUrl>/api/channels/<channel>/webhook` at the platform.
   *
   * @returns that address.
   * @throws {RuntimeError} `not_found` if the channel does not support it; `conflict` if the channel is not set up;
   * `validation_error` for an address with a query, a fragment, a user or a password; `validation_error` or
   * `channel_error` if the platform rejects the address or fails.
   */
  setWebhook(channel: string, baseUrl: string, signal?: AbortSignal): Promise<string>
  /** Lists the messages of a channel, newest first. @throws {RuntimeError} `not_found` */
  messages(
    channel: string,
    query?: ChannelMessageQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly messages: ChannelMessage[]; readonly nextCursor?: string }>
  /**
   * Resends or discards an answer that failed or may not have arrived.
   *
   * @throws {RuntimeError} `not_found`; `conflict` if the answer needs no decision.
   */
  resolve(
    channel: string,
    messageId: string,
    decision: ChannelMessageDecision['decision'],
  ): Promise<ChannelMessage>
  /**
   * Sends a message to a chat from which the agent has received a message. Resolves when the message is stored. It is
   * sent once, in the background.
   *
   * Once sent, it is an assistant message in the chat's conversation, and the next run reads it.
   *
   * @param isUntrusted whether the message may quote untrusted content. @default false
   * @returns the message, or the existing message with the same idempotency key.
   * @throws {RuntimeError} `not_found` for an unknown channel or conversation; `forbidden` if the person or group is
   * not allowed; `conflict` if the channel is not set up, or the key belongs to another message.
   */
  send(channel: string, message: ChannelSendRequest, isUntrusted?: boolean): Promise<ChannelMessage>
  /** Returns the agent of each chat, by conversation. @throws {RuntimeError} `not_found` */
  routes(channel: string, signal?: AbortSignal): Promise<ChannelRoute[]>
  /**
   * Replaces the routes of a channel.
   *
   * @returns the stored routes.
   * @throws {RuntimeError} `not_found` for an unknown channel; `validation_error` for an unknown agent, or for two
   * routes of one conversation.
   */
  setRoutes(channel: string, routes: readonly ChannelRoute[]): Promise<ChannelRoute[]>
  /**
   * Lists people and groups that wait for permission, are allowed or are blocked, newest first.
   *
   * @throws {RuntimeError} `not_found`
   */
  senders(channel: string, signal?: AbortSignal): Promise<ChannelSender[]>
  /**
   * Allows or blocks a person or group by the platform's id, also before the first message, or links a person to a
   * user.
   *
   * A person who was pending or blocked and is now allowed gets one message in the private chat, in the background.
   *
   * @throws {RuntimeError} `not_found` for an unknown channel, or for an unknown sender without a `status`;
   * `validation_error` for the user of a group.
   */
  setSender(channel: string, senderId: string, change: ChannelSenderChange): Promise<ChannelSender>
  /**
   * Allows the person who received this pairing code in the chat. The person gets one message there, in the
   * background.
   *
   * @throws {RuntimeError} `not_found` for an invalid or expired code; `rate_limited` after 10 invalid codes in 10
   * minutes.
   */
  pair(channel: string, code: string): Promise<ChannelSender>
}
