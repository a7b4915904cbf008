import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { ChatMessage } from './server.ts'

type Part = ChatMessage['parts'][number]

/** The chat is in the address, so that a reload opens it again. */
const id = location.hash.slice(1) || crypto.randomUUID()
location.hash = id
const api = '/api/chat'

function Chat({ stored }: { readonly stored: ChatMessage[] }) {
  const [input, setInput] = useState('')
  const [hint, setHint] = useState('')
  const { messages, sendMessage, regenerate, stop, status, error, addToolApprovalResponse } =
    useChat<ChatMessage>({
      id,
      messages: stored,
      resume: true,
      transport: new DefaultChatTransport({ api }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onData: ({ data }) => setHint(data),
    })

  async function stopRun() {
    await fetch(`${api}/${id}/stream`, { method: 'DELETE' })
    await stop()
  }

  function show(part: Part, key: number) {
    if (part.type === 'text') return <p key={key}>{part.text}</p>
    if (part.type === 'tool-weather')
      return <p key={key}>{part.state === 'output-available' ? `${part.output.celsius} °C` : 'Looking …'}</p>
    if (part.type !== 'tool-sendMail') return null
    if (part.state === 'output-available') return <p key={key}>Sent to {part.output.sentTo}</p>
    if (part.state === 'output-denied') return <p key={key}>Not sent</p>
    if (part.state !== 'approval-requested') return <p key={key}>Sending …</p>
    const decide = (approved: boolean) => () =>
      void addToolApprovalResponse({ id: part.approval.id, approved })
    return (
      <p key={key}>
        Send “{part.input.text}” to {part.input.to}? <button onClick={decide(true)}>Send</button>{' '}
        <button onClick={decide(false)}>Do not send</button>
      </p>
    )
  }

  return (
    <main>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map(show)}
        </article>
      ))}
      {hint !== '' && status === 'streaming' && <p>{hint}</p>}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void sendMessage({ text: input })
          setInput('')
        }}
      >
        <input aria-label="Message" value={input} onChange={({ target }) => setInput(target.value)} />
        <button disabled={status === 'streaming'}>Ask</button>
        <button type="button" onClick={() => void stopRun()}>
          Stop
        </button>
        <button type="button" onClick={() => void regenerate()}>
          Again
        </button>
        <output>{status}</output>
      </form>
    </main>
  )
}

async function open(): Promise<void> {
  const response = await fetch(`${api}/${id}`)
  const { messages = [] } = response.ok ? ((await response.json()) as { messages?: ChatMessage[] }) : {}
  createRoot(document.getElementById('root')!).render(<Chat stored={messages} />)
}
void open()
