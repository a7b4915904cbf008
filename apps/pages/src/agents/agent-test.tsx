import type { Agent } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { newId } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { Card } from '../components/layout/card.tsx'
import '../chat/chat.css'
import { toChat } from '../chat/pending-questions.ts'
import { TurnView } from '../chat/turn-view.tsx'
import { useChat } from '../chat/use-chat.ts'
import { usePendingQuestion } from '../chat/pending-questions.ts'

/** What an {@link AgentTest} takes. */
interface AgentTestProps {
  readonly agent: Agent
  /** Whether the form holds changes that no run knows of. */
  readonly isDirty: boolean
}

/** The place of a message that is sent to an agent once its page is shown. */
export const testOf = (agentId: string) => `test of ${agentId}`

/** Talks to an agent beside its form. Each test is a conversation, which can be continued in the chat. */
export function AgentTest({ agent, isDirty }: AgentTestProps) {
  const [conversationId, setConversationId] = useState(newId)
  return (
    <Card title="Test">
      <TestConversation
        key={conversationId}
        agent={agent}
        isDirty={isDirty}
        conversationId={conversationId}
        onRestart={() => setConversationId(newId())}
      />
    </Card>
  )
}

interface TestConversationProps extends AgentTestProps {
  readonly conversationId: string
  readonly onRestart: () => void
}

function TestConversation({ agent, isDirty, conversationId, onRestart }: TestConversationProps) {
  const chat = useChat(agent.id, conversationId, true, 'test')
  const [text, setText] = useState('')
  usePendingQuestion(testOf(agent.id), chat.send)
  const agentName = agent.name ?? agent.id
  const isSendable = text.trim() !== '' && !chat.isWorking

  function send(): void {
    if (!isSendable) return
    chat.send(text, [])
    setText('')
  }

  return (
    <>
      <div role="log" aria-live="off" aria-label={`Test of ${agentName}`} className="chat-log">
        {chat.turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} agentId={agent.id} agentName={agentName} />
        ))}
      </div>
      {chat.sendError && <ErrorState error={chat.sendError} onRetry={chat.sendAgain} isInline />}
      <SubmitForm onSubmit={send}>
        <TextArea
          label="Test message"
          value={text}
          onChange={setText}
          rows={2}
          maxLength={1_000_000}
          description={
            isDirty ? 'The answer comes from the saved agent. Save your changes to test them.' : undefined
          }
        />
        <div className="row">
          <Button type="submit" isDisabled={!isSendable}>
            Send
          </Button>
          {chat.stop && <Button onPress={chat.stop}>Stop</Button>}
          {!chat.isEmpty && !chat.isWorking && (
            <>
              <Button variant="quiet" onPress={onRestart}>
                Start over
              </Button>
              <Link href={toChat(agent.id, conversationId)}>Open in chat</Link>
            </>
          )}
        </div>
      </SubmitForm>
    </>
  )
}
