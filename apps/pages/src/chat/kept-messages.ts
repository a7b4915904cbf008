const keyOf = (place: string) => `homeward.chat-message.${place}`

/** Where a message is kept: of its conversation, or of the agent as long as there is none. */
export function messagePlace(agentId: string, conversationId: string | undefined): string {
  return conversationId === undefined ? `agent.${agentId}` : `conversation.${conversationId}`
}

/** A message that was begun and not sent; it outlives a reload and links, and ends with the tab. Empty where there is none. */
export function readKeptMessage(place: string): string {
  try {
    return sessionStorage.getItem(keyOf(place)) ?? ''
  } catch {
    return ''
  }
}

/** Keeps a message in another place from now on. */
export function moveKeptMessage(from: string, to: string): void {
  const text = readKeptMessage(from)
  if (text === '') return
  keepMessage(from, '')
  keepMessage(to, text)
}

/** Keeps a message as it is by now, or forgets it where nothing is left of it. */
export function keepMessage(place: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(place))
    else sessionStorage.setItem(keyOf(place), text)
  } catch {
    // No storage, or a full one: it can be written and sent all the same.
  }
}
