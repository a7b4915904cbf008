export { mockHandlers, type MockOptions } from './mock-handlers.ts'
export type { MockResponse, MockCall, MockError, MockEvent, MockReplies, MockReply } from './mock-reply.ts'
