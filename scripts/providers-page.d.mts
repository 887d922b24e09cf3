export const PAGE: string;
export function providersPage(catalogue: readonly unknown[], contractOf: (name: string) => unknown): string;
