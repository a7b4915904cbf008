import type { Agent } from '@homeward/contract/agent-platform'
import { ArrowDown, MessagesSquare, WifiOff } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { LoadingState } from '../../components/states/loading-state.tsx'
import { Announcement } from './announcement.tsx'
import { ChatActionsOfThread } from './chat-actions.ts'
import { Composer } from './composer.tsx'
import { SendFailure } from './send-failure.tsx'
import { ComposerFocus } from './composer-focus.ts'
import { firstQuestions } from './first-questions.ts'
import type { AttachedFile } from './files/chat-file.ts'
import { messagePlace } from './kept-messages.ts'
import { useChatActions } from './use-chat-actions.ts'
import { usePendingQuestion } from './use-pending-question.ts'
import { useKeptUnsent } from './use-kept-unsent.ts'
import { TurnView } from './turn-view.tsx'
import { type Chat, useChat } from './use-chat.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

/** What a {@link ChatThread} takes. */
export interface ChatThreadProps {
  readonly agent: Pick<Agent, 'id' | 'name' | 'model' | 'skills'>
  readonly conversationId: string
  /** Whether there is nothing of it yet when it is first shown. */
  readonly isNew: boolean
  /** A message was sent: there is a conversation now, if there was none. */
  readonly onSent: () => void
  /** The first message was refused: there is none after all. */
  readonly onRefused: () => void
  /** The title of the conversation, once it is known, and whenever it changes. */
  readonly onTitle?: (title: string) => void
}

/** One conversation with an agent: what was said, and where to say more. */
export function ChatThread({ agent, conversationId, isNew, onSent, onRefused, onTitle }: ChatThreadProps) {
  const [beginsHere] = useState(isNew)
  const chat = useChat(agent.id, conversationId, beginsHere)
  const fieldRef = useRef<HTMLTextAreaElement>(null)
  const focusComposer = useCallback(() => fieldRef.current?.focus(), [])
  const agentName = agent.name ?? agent.id
  const place = messagePlace(agent.id, isNew || chat.isRefused ? undefined : conversationId)
  useKeptUnsent(place, chat.unsent)
  useEffect(() => {
    if (chat.isRefused) onRefused()
  }, [chat.isRefused, onRefused])
  useTitle(chat.title, onTitle)
  const actions = useChatActions(chat, agent.id, conversationId)
  const { endRef, isAtEnd, scrollToEnd } = useStickToEnd(chat.turns)
  function send(task: string, files: readonly AttachedFile[] = []): void {
    chat.send(task, files)
    onSent()
    scrollToEnd()
  }
  usePendingQuestion(conversationId, send)
  return (
    <div className="chat-thread">
      <ComposerFocus value={focusComposer}>
        <ChatActionsOfThread value={actions}>
          <Transcript
            chat={chat}
            agent={agent}
            agentName={agentName}
            onAsk={(question) => {
              send(question)
              focusComposer() // what was pressed is gone
            }}
          />
        </ChatActionsOfThread>
      </ComposerFocus>
      <div ref={endRef} className="chat-end" />
      <SpokenTurn chat={chat} agentName={agentName} />
      <div className="chat-foot">
        <ThreadNotes
          chat={chat}
          agentId={agent.id}
          onSendAgain={() => {
            chat.sendAgain()
            onSent()
          }}
        />
        {!isAtEnd && (
          <div className="chat-jump">
            <Button icon={<ArrowDown aria-hidden />} onPress={scrollToEnd}>
              Newest
            </Button>
          </div>
        )}
        <Composer
          place={place}
          agentName={agentName}
          fieldRef={fieldRef}
          blocked={chat.isWorking ? blockedBy(chat, agentName) : undefined}
          isWorking={chat.isWorking}
          isStopping={chat.isStopping}
          onStop={
            chat.stop &&
            (() => {
              chat.stop?.()
              focusComposer()
            })
          }
          onSend={send}
        />
      </div>
    </div>
  )
}

function useTitle(title: string | undefined, onTitle: ChatThreadProps['onTitle']): void {
  useEffect(() => {
    if (title !== undefined) onTitle?.(title)
  }, [title, onTitle])
}

function blockedBy({ turns }: Chat, agentName: string): string {
  if (turns.at(-1)?.status === 'waiting')
    return `${agentName} is waiting for your approval above. Decide, or stop the run.`
  return `${agentName} is working. You can write on, and send once it has answered, or stop it.`
}

interface TranscriptProps extends Pick<ChatThreadProps, 'agent'> {
  readonly chat: Chat
  readonly agentName: string
  /** One of the first questions was chosen. */
  readonly onAsk: (question: string) => void
}

function Transcript({ chat, agent, agentName, onAsk }: TranscriptProps) {
  if (chat.isLoading && chat.isEmpty) return <LoadingState />
  if (chat.loadError && chat.isEmpty) return <ErrorState error={chat.loadError} onRetry={chat.reload} />
  if (chat.isEmpty) return <Beginning agent={agent} agentName={agentName} onAsk={onAsk} />
  return (
    <div role="log" aria-live="off" aria-label={`Conversation with ${agentName}`} className="chat-log">
      {chat.hasOlder && (
        <div className="chat-older">
          <Button variant="quiet" isPending={chat.isLoadingOlder} onPress={chat.loadOlder}>
            Show older messages
          </Button>
        </div>
      )}
      {chat.turns.map((turn) => (
        <TurnView key={turn.id} turn={turn} agentId={agent.id} agentName={agentName} />
      ))}
    </div>
  )
}

function Beginning({ agent, agentName, onAsk }: Omit<TranscriptProps, 'chat'>) {
  const questions = firstQuestions(agent)
  const asking = questions.length > 0 && (
    <div className="chat-questions" role="group" aria-label="Suggested questions">
      {questions.map((question) => (
        <Button key={question} onPress={() => onAsk(question)}>
          {question}
        </Button>
      ))}
    </div>
  )
  return (
    <div className="chat-begin">
      <EmptyState title={`Talk to ${agentName}`} icon={<MessagesSquare aria-hidden />} action={asking}>
        This agent uses the model <code className="foreign">{agent.model}</code>. Your messages stay on your
        server, unless the model is hosted elsewhere.
      </EmptyState>
    </div>
  )
}

/** Says only what happens from now on: who opens an old conversation does not want to hear its end. */
function SpokenTurn({ chat, agentName }: { readonly chat: Chat; readonly agentName: string }) {
  const wasWorking = useRef(false)
  useEffect(() => {
    wasWorking.current ||= chat.isWorking
  }, [chat.isWorking])
  const isSpoken = chat.isWorking || wasWorking.current
  return <Announcement turn={isSpoken ? chat.turns.at(-1) : undefined} agentName={agentName} />
}

interface ThreadNotesProps {
  readonly chat: Chat
  readonly agentId: string
  readonly onSendAgain: () => void
}

function ThreadNotes({ chat, agentId, onSendAgain }: ThreadNotesProps) {
  return (
    <>
      {chat.isWorking && !chat.isConnected && (
        <p className="chat-note" role="status">
          <WifiOff aria-hidden /> Connection lost. The run continues on the server; the answer appears here
          after reconnecting.
        </p>
      )}
      {chat.sendError && <SendFailure error={chat.sendError} onRetry={onSendAgain} agentId={agentId} />}
      {chat.stopError && <ErrorState error={chat.stopError} isInline />}
      {chat.loadError && !chat.isEmpty && (
        <ErrorState error={chat.loadError} onRetry={chat.reload} isInline />
      )}
    </>
  )
}
