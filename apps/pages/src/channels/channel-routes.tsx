import type { ChannelRoute } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'

/** Which agent answers in which chat of a channel. */
export function ChannelRoutes({ channel }: { readonly channel: string }) {
  const query = usePlatformQuery('listChannelRoutes', { params: { channel } })
  return (
    <QueryView query={query}>
      {({ routes }) => (
        <div className="stack">
          <RouteList channel={channel} routes={routes} />
          <AddRoute channel={channel} routes={routes} />
        </div>
      )}
    </QueryView>
  )
}

interface RoutesProps {
  readonly channel: string
  readonly routes: readonly ChannelRoute[]
}

const invalidates = ['listChannelRoutes'] as const

function RouteList({ channel, routes }: RoutesProps) {
  const set = usePlatformMutation('setChannelRoutes', { invalidates })
  if (routes.length === 0) {
    return (
      <p className="muted">
        The default agent answers in every chat. Add a route to choose another agent for a chat.
      </p>
    )
  }
  const remove = ({ conversation }: ChannelRoute) =>
    set.mutate({
      params: { channel },
      body: { routes: routes.filter((route) => route.conversation !== conversation) },
    })
  return (
    <>
      <ul className="channel-messages">
        {routes.map((route) => (
          <li key={route.conversation}>
            <div className="row">
              <code className="foreign">{route.conversation}</code>
              <span>{route.agent_id}</span>
              <Button
                variant="quiet"
                isPending={set.isPending}
                aria-label={`Remove the route of ${route.conversation}`}
                onPress={() => remove(route)}
              >
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {set.error && <ErrorState error={set.error} isInline />}
    </>
  )
}

function AddRoute({ channel, routes }: RoutesProps) {
  const [conversation, setConversation] = useState('')
  const [agentId, setAgentId] = useState<string | null>(null)
  const agents = usePlatformQuery('listAgents')
  const set = usePlatformMutation('setChannelRoutes', {
    invalidates,
    onSuccess() {
      setConversation('')
      showToast({ title: 'Route added' })
    },
  })
  const { fields, rest } = toFieldErrors(set.error, ['conversation', 'agent_id'])
  const chat = conversation.trim()
  const add = () => {
    if (chat === '' || agentId === null) return
    const others = routes.filter((route) => route.conversation !== chat)
    set.mutate({
      params: { channel },
      body: { routes: [...others, { conversation: chat, agent_id: agentId }] },
    })
  }
  return (
    <SubmitForm onSubmit={add} error={set.error}>
      <div className="field-grid">
        <TextField
          label="Chat"
          value={conversation}
          onChange={setConversation}
          errorMessage={fields.conversation}
          description="Id of the chat on the platform, such as 100000001."
          autoComplete="off"
          spellCheck="false"
        />
        <SelectField
          label="Agent"
          options={(agents.data?.agents ?? []).map(({ id, name }) => ({ value: id, label: name ?? id }))}
          value={agentId}
          onChange={setAgentId}
          errorMessage={fields.agent_id}
        />
      </div>
      {rest && <ErrorState error={rest} isInline />}
      <div className="row" data-justify="end">
        <Button type="submit" isPending={set.isPending} isDisabled={chat === '' || agentId === null}>
          Add route
        </Button>
      </div>
    </SubmitForm>
  )
}
