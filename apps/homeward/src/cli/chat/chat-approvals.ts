import type { ApprovalDecision } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import type { ChatScreen } from './chat-screen.ts'
import type { ChatSession } from './chat-session.ts'
import type { WaitingCall } from './turn.ts'

/** The call that waits for the person, and what they decide about it. */
export interface ChatApprovals {
  /** The first call that waits. */
  readonly waiting: WaitingCall | undefined
  /** Whether its arguments are shown whole. */
  readonly isDetailed: boolean
  decide(decision: ApprovalDecision): Promise<void>
  /** Shows the arguments whole, or on one line again. */
  toggleDetails(): void
}

export function createChatApprovals(session: ChatSession, screen: ChatScreen): ChatApprovals {
  let detailedId: string | undefined
  const find = () => (session.isBusy ? session.turn?.waiting[0] : undefined)
  const nothing = () => screen.showNote('No call waits for a decision.')
  return {
    get waiting() {
      return find()
    },
    get isDetailed() {
      return detailedId !== undefined && detailedId === find()?.id
    },
    async decide(decision) {
      const call = find()
      if (call === undefined) return nothing()
      try {
        await session.decide(call, decision)
      } catch (error) {
        if (!ClientError.is(error) || error.status !== 409) throw error
        screen.showNote('The call has been decided before.')
      }
    },
    toggleDetails() {
      const call = find()
      if (call === undefined) return nothing()
      detailedId = detailedId === call.id ? undefined : call.id
    },
  }
}
