import type { InboundFile, InboundReaction } from '../../ports/channel.ts'

/** What the three shapes of a bridge's message say alike. */
export interface BridgeMessage {
  /** Unique within the conversation; a bridge may leave it out. */
  readonly id: string | undefined
  readonly sender: { readonly id: string; readonly name?: string }
  /** The conversation at the bridge. */
  readonly conversation: string
  readonly isGroup: boolean
  /** Whom an answer is addressed to: a person or a group. */
  readonly to: string
  /** The account of the bridge that the message came to, which is to answer. */
  readonly account: string | undefined
  /** Empty only if there are files. */
  readonly text: string
  readonly files: readonly InboundFile[]
  readonly isAddressed: boolean
  /** What an answer refers to. */
  readonly replyTo: string | undefined
  /** When it was written, as the bridge says it. */
  readonly sentAt: string | undefined
}

/** A body that is no message for an agent, and why. */
export interface Ignored {
  readonly ignored: string
  /** A thumb that a person puts on a message of the agent, or takes away. */
  readonly reaction?: InboundReaction
}
