/** Contracts of real providers. Every number can be overridden; what a provider's answers say is truer than any of them. */
import { ANTHROPIC } from './profiles/anthropic.js';
import { BOX } from './profiles/box.js';
import { DROPBOX } from './profiles/dropbox.js';
import { GITHUB } from './profiles/github.js';
import { GITLAB } from './profiles/gitlab.js';
import { HUBSPOT } from './profiles/hubspot.js';
import { INTERCOM } from './profiles/intercom.js';
import { LINEAR } from './profiles/linear.js';
import { OPENAI } from './profiles/openai.js';
import { PIPEDRIVE } from './profiles/pipedrive.js';
import { SALESFORCE } from './profiles/salesforce.js';
import { SHOPIFY } from './profiles/shopify.js';
import { SQUARE } from './profiles/square.js';
import { STRIPE } from './profiles/stripe.js';
import { XERO } from './profiles/xero.js';
import { ZENDESK } from './profiles/zendesk.js';
import { providerFrom } from './provider-from.js';

export type { ContractSettings, Settings } from './provider-from.js';

export const anthropic = providerFrom(ANTHROPIC);
export const box = providerFrom(BOX);
export const dropbox = providerFrom(DROPBOX);
export const github = providerFrom(GITHUB);
export const gitlab = providerFrom(GITLAB);
export const hubspot = providerFrom(HUBSPOT);
export const intercom = providerFrom(INTERCOM);
export const linear = providerFrom(LINEAR);
export const openai = providerFrom(OPENAI);
export const pipedrive = providerFrom(PIPEDRIVE);
export const salesforce = providerFrom(SALESFORCE);
export const shopify = providerFrom(SHOPIFY);
export const square = providerFrom(SQUARE);
export const stripe = providerFrom(STRIPE);
export const xero = providerFrom(XERO);
export const zendesk = providerFrom(ZENDESK);
