import type { Agent } from '@homeward/contract/agent-platform'
import { ArrowDown, MessagesSquare, WifiOff } from 'lucide-react'
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type RefObject,
  type ReactNode,
  Suspense,
} from 'react'
import { Button } from '../components/buttons/button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { LoadingState } from '../components/states/loading-state.tsx'
import { ChatActionsOfThread } from './use-chat-actions.ts'
import { Composer } from './composer.tsx'
import { ComposerFocus } from './approval-view.tsx'
import type { AttachedFile } from './files/chat-file.ts'
import { messagePlace, keepMessage, moveKeptMessage, readKeptMessage } from './kept-messages.ts'
import { useChatActions } from './use-chat-actions.ts'
import { usePendingQuestion } from './pending-questions.ts'
import { AnsweredQuestion, groupAnswers } from './answered-question.tsx'
import { type Chat, useChat } from './use-chat.ts'
import { ClientError } from '@homeward/contract/client'
import { Link } from 'react-aria-components'
import { PlainMarkdown } from '../components/text/markdown.tsx'
import { textOf, type Turn } from '@homeward/contract/runs'

/** What a {@link ChatThread} takes. */
interface ChatThreadProps {
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
    return `${agentName} is waiting for your answer above. Answer, or stop the run.`
  return `${agentName} is working. You can write on, and send once it has answered, or stop it.`
}

interface TranscriptProps extends Pick<ChatThreadProps, 'agent'> {
  readonly chat: Chat
  readonly agentName: string
  /** One of the first questions was chosen. */
  readonly onAsk: (question: string) => void
}

function Transcript({ chat, agent, agentName, onAsk }: TranscriptProps) {
  const groups = useMemo(() => groupAnswers(chat.turns), [chat.turns])
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
      {groups.map((answers) => (
        <AnsweredQuestion key={answers[0].id} answers={answers} agentId={agent.id} agentName={agentName} />
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

/** What can be asked of an agent that has a skill which comes with the server, by the skill's name. */
const questions: ReadonlyMap<string, string> = new Map([
  ['device-search', 'Which devices do I have, and which of them are online?'],
  ['word-count', 'How many words are in “to be, or not to be”?'],
])

/** Questions for whoever does not know yet what to ask; they are answered without a key or a connection. */
function firstQuestions({ skills }: Pick<Agent, 'skills'>): readonly string[] {
  return skills.flatMap((skill) => questions.get(skill) ?? [])
}

/**
 * Keeps a message that did not get through where the next one is written: why it was refused is often mended on another page,
 * and who comes back from there finds it. What is being written by then stays instead.
 *
 * @param place of the next message, as `messagePlace` names it. What is kept goes along when it becomes another one.
 * @param unsent undefined once it is sent again.
 */
function useKeptUnsent(place: string, unsent: string | undefined): void {
  const kept = useRef<string>(undefined)
  const lastPlace = useRef(place)
  useEffect(() => {
    if (lastPlace.current !== place) moveKeptMessage(lastPlace.current, place)
    lastPlace.current = place
    if (unsent !== undefined) {
      if (readKeptMessage(place) !== '') return
      keepMessage(place, unsent)
      kept.current = unsent
    } else if (kept.current !== undefined) {
      if (readKeptMessage(place) === kept.current) keepMessage(place, '')
      kept.current = undefined
    }
  }, [place, unsent])
}

/** What a {@link SendFailure} takes. */
interface SendFailureProps {
  readonly error: Error
  readonly onRetry: () => void
  readonly agentId: string
}

/** What the agent or the settings can be the reason of. Signing in, or waiting, mends the other refusals. */
const ofAgent = [400, 409, 422]

/** Why a message did not get through. What the server refuses it says in its own words; where to mend it stands below. */
function SendFailure({ error, onRetry, agentId }: SendFailureProps) {
  const status = ClientError.is(error) ? error.status : undefined
  return (
    <div className="stack" data-gap="small">
      <ErrorState error={error} onRetry={onRetry} isTriedAgain={false} isInline />
      {status !== undefined && ofAgent.includes(status) && (
        <p className="small">
          The run was not started. Change{' '}
          <Link href={`/agents/${encodeURIComponent(agentId)}`}>the agent</Link> or{' '}
          <Link href="/settings">the settings</Link>, then try again.
        </p>
      )}
    </div>
  )
}

/** Where the newest text ends, and whether the reader is there. */
interface StickyEnd {
  readonly endRef: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  readonly scrollToEnd: () => void
}

/** Keeps the end in sight while it moves, as long as the reader has not scrolled away from it. */
function useStickToEnd(moved: unknown): StickyEnd {
  const endRef = useRef<HTMLDivElement>(null)
  const wasAtEnd = useRef(true)
  const [isAtEnd, setIsAtEnd] = useState(true)

  useEffect(() => {
    const onScroll = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement
      wasAtEnd.current = scrollHeight - clientHeight - scrollTop < 120
      setIsAtEnd(wasAtEnd.current)
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])

  const scrollToEnd = () => endRef.current?.scrollIntoView({ block: 'end' })
  useEffect(() => {
    if (wasAtEnd.current) endRef.current?.scrollIntoView({ block: 'end' })
  }, [moved])
  // What is laid out behind that, as Markdown is, moves it too. Who opens something in the transcript looks at that.
  useEffect(() => {
    const thread = endRef.current?.parentElement
    if (!thread) return undefined
    const observer = new ResizeObserver(() => {
      const isReading = document.activeElement?.closest('[role="log"]')
      if (wasAtEnd.current && !isReading) endRef.current?.scrollIntoView({ block: 'end' })
    })
    observer.observe(thread)
    return () => observer.disconnect()
  }, [])
  return { endRef, isAtEnd, scrollToEnd }
}

const longestSpoken = 1000

/**
 * Says what happens to those who listen: when the agent begins, calls a tool, asks, and ends, with the text of its answer. The text
 * that grows is not a live region: each piece of it would be read.
 */
function Announcement({ turn, agentName }: { readonly turn: Turn | undefined; readonly agentName: string }) {
  return (
    <div role="status" className="visually-hidden">
      {turn === undefined ? '' : describe(turn, agentName)}
    </div>
  )
}

function describe(turn: Turn, agentName: string): ReactNode {
  const last = turn.parts.at(-1)
  switch (turn.status) {
    case 'running':
      return last?.kind === 'tool' && last.state === 'running'
        ? `${agentName} calls ${last.name}.`
        : `${agentName} is working.`
    case 'waiting':
      return last?.kind === 'approval'
        ? `${agentName} asks for approval to run ${last.tool}.`
        : `${agentName} waits.`
    case 'cancelled':
      return 'Stopped.'
    case 'failed':
      return `The run failed. ${turn.failure?.message ?? ''}`
    case 'completed':
      return (
        // Nothing until all of it is there: it is to be said once.
        <Suspense fallback="">
          {agentName} answered: <PlainMarkdown text={textOf(turn)} maxLength={longestSpoken} />
        </Suspense>
      )
  }
}
