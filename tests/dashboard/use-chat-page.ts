import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { createElement as h, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

type Part = UIMessage['parts'][number]

const text = new TextEncoder().encode('The code is 4711.')
const attached = new DataTransfer()
attached.items.add(new File([text], 'note.txt', { type: 'text/plain' }))

const transport = new DefaultChatTransport({
  api: '/api/agents/run/stream?format=ui&reasoning=true',
  body: { agent_id: 'writer' },
})

/** A chat as the documentation of the AI SDK writes it: nothing in it knows this server but `transport`. */
function Chat() {
  const { messages, sendMessage, addToolApprovalResponse, regenerate, status, error } = useChat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })

  const decide = (id: string, approved: boolean) =>
    h(
      'button',
      { onClick: () => void addToolApprovalResponse({ id, approved }) },
      approved ? 'Approve' : 'Deny',
    )

  function show(part: Part): ReactNode {
    if (part.type === 'text') return h('p', {}, part.text)
    if (part.type === 'reasoning') return h('em', {}, part.text)
    if (part.type === 'source-url') return h('a', { href: part.url }, part.title)
    if (part.type === 'file') return h('span', {}, `File ${part.filename}`)
    if (part.type !== 'dynamic-tool') return undefined
    const { state, toolName } = part
    const asks = state === 'approval-requested' ? [true, false] : []
    return h(
      'section',
      { 'aria-label': toolName },
      state,
      ...asks.map((yes) => decide(part.approval?.id ?? '', yes)),
    )
  }

  return h(
    'main',
    {},
    ...messages.map(({ id, role, parts }) =>
      h('article', { key: id, 'aria-label': role }, ...parts.map((part) => show(part))),
    ),
    h('output', { 'aria-label': 'Status' }, error ? error.message : status),
    h('button', { onClick: () => void sendMessage({ text: 'Read this', files: attached.files }) }, 'Send'),
    h('button', { onClick: () => void regenerate() }, 'Regenerate'),
  )
}

const root = document.querySelector('body')
if (root) createRoot(root).render(h(Chat))
