import "./begun";

void import("./main");
