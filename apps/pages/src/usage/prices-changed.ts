/** What is read again once a price is another one. */
export const pricesChanged = ['listPrices', 'getUsage', 'listAudit'] as const
