import { useState } from 'react'
import { useLocation } from 'wouter'
import { keepMessage, messagePlace, readKeptMessage } from '../../agents/chat/kept-messages.ts'
import { usePlatformQuery } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'

const storageKey = 'homeward.asked-agent'

/** Hands words to an agent: its chat opens with them, ready to be sent. */
export function useAskAgent(onDone: () => void) {
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
