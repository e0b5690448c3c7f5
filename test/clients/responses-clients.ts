// The clients of /v1/responses: those of clients.ts that speak it, and the AI SDK's own OpenAI provider.
import { createOpenAI } from "@ai-sdk/openai";
import { type Clients, type Customer, useClients } from "./clients.ts";

export interface ResponsesCustomer extends Customer {
  /** `openai("id")`: its default is Responses. */
  aiSdkOpenAI: ReturnType<typeof createOpenAI>;
}

export function useResponsesClients(): Pick<Clients, "gateway"> & { customer(): Promise<ResponsesCustomer> } {
  const clients = useClients();
  return {
    get gateway() {
      return clients.gateway;
    },
    async customer() {
      const customer = await clients.customer();
      const aiSdkOpenAI = createOpenAI({ apiKey: customer.account.key, baseURL: `${clients.gateway.url}/v1`, fetch: customer.fetch });
      return { ...customer, aiSdkOpenAI };
    },
  };
}
