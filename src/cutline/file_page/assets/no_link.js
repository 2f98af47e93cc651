// This page never writes into its address: nothing of the data may be shared by accident with a link.

export const askedIn = () => ({});
export const remember = () => {};
