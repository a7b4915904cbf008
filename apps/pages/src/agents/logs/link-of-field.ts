const pages: Readonly<Record<string, string>> = {
  agent_id: '/agents/',
  graph_id: '/graphs/',
  task_id: '/tasks/',
  conversation_id: '/conversations/',
  parent_run_id: '/runs/',
  skill_id: '/skills/',
}

/** The page of what a field of an event names; undefined where there is none. */
export function linkOfField(name: string, value: string): string | undefined {
  const page = Object.hasOwn(pages, name) ? pages[name] : undefined
  return page === undefined || value === '' ? undefined : page + encodeURIComponent(value)
}
