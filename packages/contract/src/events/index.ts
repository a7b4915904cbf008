export { readEvents, type ReadEventsOptions, type ServerEvent } from './read-events.ts'
