import { Bot, File, History, MessageCircle, MonitorSmartphone, Search, Settings } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Autocomplete, Input, Label, ListBox, ListBoxItem, Text, TextField } from 'react-aria-components'
import { useLocation } from 'wouter'
import { useServerFacts } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { isComposing } from '../components/fields/is-composing.ts'
import { SelectField } from '../components/fields/select-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import './find.css'
import type { FoundItem, FoundKind } from './find-items.ts'
import { useFound } from './use-found.ts'
import { useCloudMutation } from '../api/cloud.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { hrefOfGroup } from '../searches/search-draft.ts'
import { keepMessage, messagePlace, readKeptMessage } from '../chat/kept-messages.ts'
import { usePlatformQuery } from '../api/platform.ts'

/** What a {@link FindBox} takes. */
interface FindBoxProps {
  /** Called once the words have led somewhere. */
  readonly onDone?: () => void
  /** @default false */
  readonly autoFocus?: boolean
  /** Of the text field. */
  readonly id?: string
}

const longestText = 1000
const icons: Readonly<Record<FoundKind, typeof Bot>> = {
  Device: MonitorSmartphone,
  Agent: Bot,
  Run: History,
  Page: File,
  Setting: Settings,
}

/**
 * One field to find and to ask. Arrows and Enter open an entry; Enter alone searches the online devices; Tab hands the words
 * to an agent.
 */
export function FindBox({ onDone = () => {}, autoFocus = false, id }: FindBoxProps) {
  const [text, setText] = useState('')
  const [, navigate] = useLocation()
  const hasDevices = useServerFacts()?.serves.devices !== false
  const items = useFound(text)
  const finish = () => {
    setText('')
    onDone()
  }
  const online = useSearchOnline(finish)
  const asking = useAskAgent(finish)
  const hasWords = text.trim() !== ''

  function open(key: string | number): void {
    const item = items.find((each) => each.id === key)
    if (!item) return
    navigate(item.href)
    finish()
  }

  function handleKey(event: KeyboardEvent<HTMLInputElement>): void {
    if (!hasWords || isComposing(event.nativeEvent) || event.ctrlKey || event.altKey || event.metaKey) return
    const isOnEntry = event.currentTarget.getAttribute('aria-activedescendant') !== null
    if (event.key === 'Enter' && !isOnEntry && hasDevices) online.search(text)
    else if (event.key === 'Tab' && !event.shiftKey && asking.agent) asking.ask(text)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className="find" role="search" aria-label="Find or ask">
      <Autocomplete
        inputValue={text}
        onInputChange={(next) => {
          setText(next)
          online.forget()
        }}
        disableAutoFocusFirst
      >
        <TextField className="field" maxLength={longestText} autoFocus={autoFocus}>
          <Label className="visually-hidden">Find or ask</Label>
          <div className="find-field">
            <Search aria-hidden />
            <Input
              {...(id !== undefined && { id })}
              className="field-input"
              dir="auto"
              autoComplete="off"
              placeholder="Find a file, a device or a page, or ask an agent"
              onKeyDownCapture={handleKey}
            />
          </div>
          <Text slot="description" className="field-description">
            {hasDevices && 'Enter searches the online devices. '}
            {asking.agent && `Tab asks ${asking.agent.name ?? asking.agent.id}. `}
            Arrow keys choose from the list.
          </Text>
        </TextField>
        {hasWords && items.length > 0 && (
          <ListBox aria-label="Found" className="find-list" onAction={open} items={items}>
            {(item) => <FoundRow item={item} />}
          </ListBox>
        )}
      </Autocomplete>
      {hasWords && <FindActions text={text} hasDevices={hasDevices} online={online} asking={asking} />}
      {online.error && <ErrorState error={online.error} isInline />}
    </div>
  )
}

interface FindActionsProps {
  readonly text: string
  readonly hasDevices: boolean
  readonly online: ReturnType<typeof useSearchOnline>
  readonly asking: ReturnType<typeof useAskAgent>
}

/** The same as the keys do, for those who point. */
function FindActions({ text, hasDevices, online, asking }: FindActionsProps) {
  const { agent, agents } = asking
  return (
    <div className="row">
      {hasDevices && (
        <Button
          variant="primary"
          icon={<Search aria-hidden />}
          isPending={online.isPending}
          onPress={() => online.search(text)}
        >
          Search online devices
        </Button>
      )}
      {agent && (
        <Button icon={<MessageCircle aria-hidden />} onPress={() => asking.ask(text)}>
          Ask {agent.name ?? agent.id}
        </Button>
      )}
      {agent && agents.length > 1 && (
        <SelectField
          label="Agent"
          isLabelHidden
          value={agent.id}
          options={agents.map(({ id: value, name }) => ({ value, label: name ?? value }))}
          onChange={asking.choose}
        />
      )}
    </div>
  )
}

function FoundRow({ item }: { readonly item: FoundItem }) {
  const Icon = icons[item.kind]
  return (
    <ListBoxItem id={item.id} textValue={item.label} className="find-item">
      <Icon aria-hidden />
      <span className="truncate grow">
        {item.label} {item.detail !== undefined && <span className="muted">{item.detail}</span>}
      </span>
      <span className="muted small">{item.kind}</span>
    </ListBoxItem>
  )
}

/** Searches the files of every device that is online, and opens the page of the search. */
function useSearchOnline(onDone: () => void) {
  const [, navigate] = useLocation()
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createSearches', {
    invalidates: ['listSearches', 'listSearchGroups'],
    onSuccess({ groupId }) {
      navigate(hrefOfGroup(groupId))
      onDone()
    },
  })
  return {
    isPending: create.isPending,
    error: create.error,
    forget: create.reset,
    search(text: string) {
      const query = text.trim()
      if (query === '' || create.isPending) return
      const body = { query, scope: ['files'], filter: { status: 'online' as const } }
      create.mutate({ body, headers: idempotency.headersFor(body) })
    },
  }
}

const storageKey = 'homeward.asked-agent'

/** Hands words to an agent: its chat opens with them, ready to be sent. */
function useAskAgent(onDone: () => void) {
  const [, navigate] = useLocation()
  const isServed = useServerFacts()?.serves.agents !== false
  const agents = usePlatformQuery('listAgents', {}, { enabled: isServed }).data?.agents ?? []
  const [chosen, setChosen] = useState(readChosen)
  const agent = agents.find(({ id }) => id === chosen) ?? agents.find(({ id }) => id === 'demo') ?? agents[0]
  return {
    agents,
    agent,
    choose(id: string) {
      setChosen(id)
      try {
        localStorage.setItem(storageKey, id)
      } catch {
        // It counts until the page is closed.
      }
    },
    ask(text: string) {
      if (!agent || text.trim() === '') return
      const place = messagePlace(agent.id, undefined)
      const begun = readKeptMessage(place)
      keepMessage(place, begun === '' ? text.trim() : `${begun}\n${text.trim()}`)
      const href = `/chat/${encodeURIComponent(agent.id)}`
      const { pathname, search } = window.location
      // A chat that shows already has read what was written in it before.
      if (pathname === href && search === '') window.location.reload()
      else navigate(href)
      onDone()
    },
  }
}

function readChosen(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}
